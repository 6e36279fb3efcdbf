// Opens everything about faces: sign-in by face, the biometric node, and the deletion of people without a node.
import type { Context } from '../platform/context.ts';
import type { SigningDoor } from '../signing/open.ts';
import { type OpenedPeople, openPeople, type PeopleNeighbors } from './galleries/open.ts';
import { openBiometricNode } from './node/open.ts';
import type { facesSettings } from './settings.ts';
import { openSignIn, type SignIn } from './tokens/open-sign-in.ts';

interface FacesSettings extends ReturnType<typeof facesSettings> {
  /** Whether sessions are ended here, by hosts, the launch page or the console. */
  endsSessions: boolean;
  /** Whether people are deleted here without a node. */
  deletesPeople: boolean;
  prepareModels: boolean;
  pageOrigin: string | undefined;
}

export interface Faces {
  /** Undefined if no sessions are ended here. */
  signIn: SignIn | undefined;
  /** Undefined if no one is deleted here. */
  people: OpenedPeople['people'] | undefined;
  /** Begins to load faces and tokens in the background. */
  start(): void;
  close(): Promise<void>;
}

export async function openFaces(
  context: Context,
  door: SigningDoor,
  settings: FacesSettings,
  { onRemove }: Pick<PeopleNeighbors, 'onRemove'>,
): Promise<Faces> {
  const { servesNode, limits, pageOrigin } = settings;
  const signIn = settings.endsSessions
    ? await openSignIn(context, { ...settings.signIn, warm: settings.prepareModels })
    : undefined;
  const neighbors = { onRemove, settleTokens: signIn?.tokens.settle };
  // Deletion needs no loaded index.
  const opened = servesNode || settings.deletesPeople ? openPeople(context, settings.people, neighbors) : undefined;
  const node =
    servesNode && opened ? await openBiometricNode(context, door, { limits, pageOrigin }, opened) : undefined;
  return {
    signIn,
    people: opened?.people,
    start() {
      node?.start();
      signIn?.start();
    },
    async close() {
      if (node) await node.close();
      else await opened?.index.close();
      await signIn?.close();
    },
  };
}
