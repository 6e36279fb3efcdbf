// What the steps found, kept on the page until the answer is made: a step that fails does not cost those before it.
import type { SeenIndicators } from '@limen/contract';
import { CAMERA_SIGN_NAMES, type CameraSign } from '@limen/plan';
import type { DeviceClient, DevicePlan, LogEntry } from '@limen/sdk/device';
import type { KnownDocument } from '../../steps/document/document-findings.ts';
import type { FaceOutcome } from '../../steps/face/face-step.ts';
import { createTally, type Tally } from '../../steps/face/tally.ts';
import type { Contact } from '../../steps/person/contact-step.ts';
import type { Remembrance } from '../../steps/person/token-step.ts';

export interface Found {
  face?: FaceOutcome;
  /** Where the face was found lit by the screen: how much, and which camera saw it. */
  light?: { response: number; camera: string };
  document?: KnownDocument;
  contact?: Contact;
  /** The service took a passkey. It stands when the face has to be shown again. */
  passkey?: true;
  /** For after a good end. */
  remember?: Remembrance | null;
  indicators?: NonNullable<SeenIndicators>;
  /** What the stream was seen to do that those of cameras do not. */
  camera?: readonly CameraSign[];
  /** Of the face step, under this plan: it stays when all else is gone. */
  readonly tally: Tally;
  /** Positions of the steps that are done, in their order. */
  done: number[];
  /** As it was when the last of them was done. */
  log: readonly LogEntry[];
  /** What is answered. Once it is made there are no embeddings any more. */
  answer?: Parameters<DeviceClient['submit']>[0];
}

export type KeptFindings = ReturnType<typeof keepFindings>;

export function keepFindings() {
  let kept: { nonce: string; found: Found } | undefined;
  let counted: { nonce: string; tally: Tally } | undefined;

  function wipe(found = kept?.found): void {
    if (found) wipeEmbeddings(found);
    if (kept?.found === found) kept = undefined;
  }

  return {
    /** Those of the plan that still stand in the log; those of another plan are gone by then. */
    of({ nonce }: Pick<DevicePlan, 'nonce'>, log: readonly LogEntry[]): Found {
      if (counted?.nonce !== nonce) counted = { nonce, tally: createTally() };
      if (!kept || kept.nonce !== nonce || !stillStands(kept.found, log)) {
        wipe();
        kept = { nonce, found: { tally: counted.tally, done: [], log: [] } };
      }
      return kept.found;
    },
    /** Of these alone, where they are given: a later run may have others by then, which stay. */
    wipe,
  };
}

/** Back to the face: what was found of it, and after it, is gone. */
export function startOver(found: Found): void {
  wipeEmbeddings(found);
  found.done = [];
  for (const name of ['face', 'light', 'document', 'contact', 'remember', 'answer'] as const) delete found[name];
}

/** And the photo, where there is one. */
export function wipeEmbeddings({ face, document }: Found): void {
  face?.embedding?.fill(0);
  face?.selfie?.fill(0);
  document?.portrait?.fill(0);
}

/** Another tab may have told the service another course since, or gone back. */
function stillStands({ done, log: before }: Found, log: readonly LogEntry[]): boolean {
  const goesOn = JSON.stringify(log.slice(0, before.length)) === JSON.stringify(before);
  return goesOn && log.slice(before.length).every(([event, index]) => event !== 'retried' || !done.includes(index));
}

export type Indicators = NonNullable<SeenIndicators>;

export function mergeIndicators(one: Indicators | undefined, other: Indicators): Indicators {
  const join = (group: keyof Indicators) => [...new Set([...(one?.[group] ?? []), ...other[group]])];
  return {
    headless: join('headless'),
    virtualCamera: join('virtualCamera'),
    browserAnomalies: join('browserAnomalies'),
  };
}

export function mergeCameraSigns(...lists: readonly (readonly CameraSign[] | undefined)[]): CameraSign[] {
  const seen = new Set(lists.flatMap((list) => list ?? []));
  return CAMERA_SIGN_NAMES.filter((name) => seen.has(name));
}
