// The box of findings that goes along with a handoff. The service cannot read it; it verifies who sealed it for which steps.
import { createHash } from 'node:crypto';
import type { CarriedBox, HandoffRequest } from '@limen/contract';
import { finishedSteps, mayCarry } from '@limen/plan';
import { inBatches } from '../../platform/base/batches.ts';
import type { Clock } from '../../platform/base/clock.ts';
import { invalid } from '../../platform/base/errors.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { verifyText } from './signature.ts';
import type { ChannelStore } from './store.ts';
import type { DeviceTurn } from './turns.ts';

const LABEL = 'limen-handoff-box-v1';

/** Undefined where nothing goes along. */
export async function readBox(
  turn: DeviceTurn,
  { carried }: HandoffRequest,
  deviceKey: string,
): Promise<CarriedBox | undefined> {
  if (!carried) return undefined;
  const { session, held, plan, state } = turn;
  const { box, steps, signature } = carried;
  if (!mayCarry(plan.steps, steps)) {
    throw invalid(
      'body.carried',
      'must be left out: the plan asks for a picture of the face, or compares the face with somebody, so the next device ' +
        'must see the face itself; it can be carried over only with a passkey that was used here',
    );
  }
  const finished = finishedSteps(plan, state.log);
  if (!steps.every((position, index) => position === finished[index])) {
    throw invalid(
      'body.carried.steps',
      'must be steps that were reported as finished, starting with the first and in order',
    );
  }
  const planHash = createHash('sha256').update(held.text).digest('hex');
  const bytes = Buffer.from(box, 'base64url');
  const boxHash = createHash('sha256').update(bytes).digest('hex');
  const text = [LABEL, session.id, planHash, steps.join(','), boxHash].join('\n');
  if (bytes.toString('base64url') !== box || !(await verifyText(text, deviceKey, signature))) {
    throw invalid(
      'body.carried.signature',
      'must be made with the device’s key over the box, as docs/device-protocol.md describes',
    );
  }
  return { box, steps: [...steps], signature, deviceKey, planHash };
}

/** From its expiry on, a box is reported as gone; its row is deleted this much later. */
const PURGE_EVERY_MS = 10_000;
const BATCH = 100;

const purgeBoxes = defineRecurringJob('handoff.boxes', PURGE_EVERY_MS);

export function registerBoxTimer(jobs: Jobs, store: Pick<ChannelStore, 'purgeBoxes'>, clock: Clock): void {
  jobs.handle(purgeBoxes, (_payload, { signal }) =>
    inBatches(signal, BATCH, () => store.purgeBoxes(clock.now(), BATCH)),
  );
}
