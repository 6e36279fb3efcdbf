// The box that goes from one device to the next: whether its device sealed it, and for steps that are done. What is in it
// the service cannot read.
import { createHash } from 'node:crypto';
import type { CarriedBox, HandoffRequest } from '@limen/contract';
import { finishedSteps, mayCarry } from '@limen/plan';
import { invalid } from '../../../platform/base/errors.ts';
import type { Turn } from '../find-channel.ts';
import { verifyText } from '../signature/signature.ts';

const LABEL = 'limen-handoff-box-v1';

/** Undefined where nothing goes along. */
export async function readBox(
  turn: Turn,
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
