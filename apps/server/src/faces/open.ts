// Opens sign-in by face, the biometric node, and the deletion of people without a node.
import type { Context } from '../platform/context.ts';
import type { SigningDoor } from '../signing/open.ts';
import { openPeople, type PeopleNeighbors } from './galleries/open.ts';
import { openBiometricNode } from './node/open.ts';
import type { facesSettings } from './settings.ts';
import { openSignIn } from './tokens/open-sign-in.ts';

interface FacesSettings extends ReturnType<typeof facesSettings> {
  /** Whether hosts, the launch page or the console end sessions here. */
  endsSessions: boolean;
  /** Whether people can be deleted here without a node. */
  deletesPeople: boolean;
  prepareModels: boolean;
  pageOrigin: string | undefined;
}

export async function openFaces(
  context: Context,
  door: SigningDoor,
  settings: FacesSettings,
  { onRemove }: Pick<PeopleNeighbors, 'onRemove'>,
) {
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
    /** Undefined if no sessions are ended here. */
    signIn,
    /** Undefined if no one is deleted here. */
    people: opened?.people,
    /** Loads faces and tokens in the background. */
    start(): void {
      node?.start();
      signIn?.start();
    },
    async close(): Promise<void> {
      if (node) await node.close();
      else await opened?.index.close();
      await signIn?.close();
    },
  };
}
