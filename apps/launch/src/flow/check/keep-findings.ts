// Keeps findings on the page until the answer is made, so a failed step does not cost the steps
// before it.
import type { SeenIndicators } from '@limen/contract';
import { CAMERA_SIGN_NAMES, type CameraSign } from '@limen/plan';
import type { DeviceClient, DevicePlan, LogEntry } from '@limen/sdk/device';
import type { KnownDocument } from '../../steps/document/document-findings.ts';
import type { FaceOutcome } from '../../steps/face/face-step.ts';
import { createTally, type Tally } from '../../steps/face/tally.ts';
import type { Contact } from '../../steps/person/contact-step.ts';
import type { PersonToSave } from '../../steps/person/token-step.ts';

export interface CheckFindings {
  face?: FaceOutcome;
  /** How strongly the face reflected the screen's light, and the camera that saw it. */
  light?: { response: number; camera: string };
  document?: KnownDocument;
  contact?: Contact;
  /** Set once the service accepted a passkey. Survives a restart of the face step. */
  passkey?: true;
  /** Saved after a successful end. */
  remember?: PersonToSave | null;
  indicators?: NonNullable<SeenIndicators>;
  /** Anomalies of the stream that real cameras do not show. */
  camera?: readonly CameraSign[];
  /** Tally of the face step. Kept as long as the plan. */
  readonly tally: Tally;
  /** Positions of completed steps, in completion order. */
  done: number[];
  /** Log at the completion of the last step. */
  log: readonly LogEntry[];
  /** The answer. Once set, the embeddings are wiped. */
  answer?: Parameters<DeviceClient['submit']>[0];
}

export type FindingsStore = ReturnType<typeof createFindingsStore>;

export function createFindingsStore() {
  let kept: { nonce: string; found: CheckFindings } | undefined;
  let counted: { nonce: string; tally: Tally } | undefined;

  function wipe(found = kept?.found): void {
    if (found) wipeEmbeddings(found);
    if (kept?.found === found) kept = undefined;
  }

  return {
    /** Returns the plan's findings that the log still supports. Wipes all others. */
    get({ nonce }: Pick<DevicePlan, 'nonce'>, log: readonly LogEntry[]): CheckFindings {
      if (counted?.nonce !== nonce) counted = { nonce, tally: createTally() };
      if (!kept || kept.nonce !== nonce || !isStillValid(kept.found, log)) {
        wipe();
        kept = { nonce, found: { tally: counted.tally, done: [], log: [] } };
      }
      return kept.found;
    },
    /** Wipes the given findings, by default the current ones. */
    wipe,
  };
}

/** Drops the findings of the face step and of later steps. */
export function startOver(found: CheckFindings): void {
  wipeEmbeddings(found);
  found.done = [];
  for (const name of ['face', 'light', 'document', 'contact', 'remember', 'answer'] as const) delete found[name];
}

/** Overwrites the embeddings and the selfie. */
export function wipeEmbeddings({ face, document }: CheckFindings): void {
  face?.embedding?.fill(0);
  face?.selfie?.fill(0);
  document?.portrait?.fill(0);
}

/** Another tab may have reported a different log or restarted a step. */
function isStillValid({ done, log: before }: CheckFindings, log: readonly LogEntry[]): boolean {
  const goesOn = JSON.stringify(log.slice(0, before.length)) === JSON.stringify(before);
  return goesOn && log.slice(before.length).every(([event, index]) => event !== 'retried' || !done.includes(index));
}

export type Indicators = NonNullable<SeenIndicators>;

export function mergeIndicators(current: Indicators | undefined, added: Indicators): Indicators {
  const join = (group: keyof Indicators) => [...new Set([...(current?.[group] ?? []), ...added[group]])];
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
