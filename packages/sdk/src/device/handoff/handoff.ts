// Hands a session on and takes one over: which finished steps go along, sealed for the next device and opened there.

import type { CarriedBox, HandoffReply, HandoffRequest } from '@limen/contract';
import { type DevicePlan, finishedSteps, type LogEntry, mayCarry, type PlanCourse, type PlanStep } from '@limen/plan';
import type { CallOptions } from '../../http/exchange.ts';
import { decodeBase64url, encodeBase64url } from '../../text/base64url.ts';
import { planHash } from '../answer.ts';
import type { DeviceKey } from '../keys/signing.ts';
import {
  drawHandoffBoxKey,
  type HandoffFindings,
  openHandoffBox,
  sealHandoffBox,
  signHandoffBox,
} from './handoff-box.ts';

export interface HandoffOptions extends CallOptions {
  /** What the next device shows of this one. */
  began: HandoffRequest['began'];
  /** What was found so far. Finished steps whose findings are here need not be done again on the next device. */
  findings?: HandoffFindings | undefined;
}

export interface Handoff extends HandoffReply {
  /** Where something goes along, with the key of its box. */
  url: string;
  /** Positions of the steps that go along. */
  carried: number[];
}

/** What came along from the device before. */
export interface CarriedSteps {
  /** To be recorded as `carried`, in this order, before any other step begins. */
  steps: number[];
  findings: HandoffFindings;
}

export interface PackedHandoff {
  carried: NonNullable<HandoffRequest['carried']>;
  /** Base64url, for the fragment. */
  key: string;
}

/** Undefined where there is nothing to carry: the next device then does everything. */
export async function packHandoff(
  {
    planText,
    plan,
    log,
    privateKey,
  }: { planText: string; plan: DevicePlan; log: readonly LogEntry[]; privateKey: DeviceKey },
  findings: HandoffFindings,
): Promise<PackedHandoff | undefined> {
  const steps = listCarriable(plan, log, findings);
  if (steps.length === 0) return undefined;
  const place = { sessionId: plan.sessionId, planHash: await planHash(planText), steps };
  const key = drawHandoffBoxKey();
  const box = await sealHandoffBox(place, key, findings).catch((error: unknown) => {
    if (error instanceof RangeError) return undefined;
    throw error;
  });
  if (!box) return undefined;
  const signature = encodeBase64url(await signHandoffBox(privateKey, place, box));
  return { carried: { box: encodeBase64url(box), steps, signature }, key: encodeBase64url(key) };
}

/** Undefined where nothing came that can be used. */
export async function unpackCarried(
  { sessionId, steps: planned, carried: listed = [] }: DevicePlan,
  carried: CarriedBox | undefined,
  boxKey: string | undefined,
): Promise<CarriedSteps | undefined> {
  if (!carried || boxKey === undefined || listed.join() !== carried.steps.join()) return undefined;
  // Also held here: a face that this device is to vouch for is shown to this device, whatever a service says.
  if (!mayCarry(planned, carried.steps)) return undefined;
  const [box, signature, deviceKey, key] = [carried.box, carried.signature, carried.deviceKey, boxKey].map(
    decodeBase64url,
  );
  if (!box || !signature || !deviceKey || !key) return undefined;
  const { steps, planHash: hash } = carried;
  const findings = await openHandoffBox({ sessionId, planHash: hash, steps, box, signature, deviceKey }, key);
  return findings && { steps: [...steps], findings };
}

/** The finished steps from the first on, as far as what they found is there and the rest can go on with it. */
function listCarriable(plan: PlanCourse, log: readonly LogEntry[], findings: HandoffFindings): number[] {
  const { steps } = plan;
  const finished = finishedSteps(plan, log);
  const missing = finished.findIndex((position) => !isFound(steps[position], findings));
  const carried = missing < 0 ? finished : finished.slice(0, missing);
  const comparing = (positions: readonly number[]) =>
    positions.some((position) => ['face', 'identity_document', 'token'].includes(steps[position]?.step ?? ''));
  const left = [...steps.keys()].filter((position) => !carried.includes(position));
  const isLost = comparing(carried) && comparing(left) && !findings.embedding;
  return isLost || !mayCarry(steps, carried) ? [] : carried;
}

function isFound(step: PlanStep | undefined, { face, document }: HandoffFindings): boolean {
  if (step?.step === 'face') return face?.spoof === false;
  return step?.step === 'identity_document' ? document !== undefined : step !== undefined;
}
