// Selects the completed steps to carry over in a handoff, seals them, and opens them on the next
// device.

import type { CarriedBox, HandoffReply, HandoffRequest } from '@limen/contract';
import {
  type DevicePlan,
  type LogEntry,
  listFinishedSteps,
  mayCarry,
  type PlanCourse,
  type PlanStep,
} from '@limen/plan';
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
  /** Description of this device that the next one shows. */
  began: HandoffRequest['began'];
  /** Findings so far. The next device skips completed steps whose findings are included. */
  findings?: HandoffFindings | undefined;
}

export interface Handoff extends HandoffReply {
  /** If findings are carried, contains the key of their box. */
  url: string;
  /** Positions of the carried steps. */
  carried: number[];
}

/** Steps and findings from the previous device. */
export interface CarriedSteps {
  /** Steps to record as `carried`, in this order, before any other step starts. */
  steps: number[];
  findings: HandoffFindings;
}

export interface PackedHandoff {
  carried: NonNullable<HandoffRequest['carried']>;
  /** Base64url, for the fragment. */
  key: string;
}

/** Returns undefined if there is nothing to carry. The next device then does everything. */
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

/** Returns undefined if nothing usable was carried. */
export async function unpackCarried(
  { sessionId, steps: planned, carried: listed = [] }: DevicePlan,
  carried: CarriedBox | undefined,
  boxKey: string | undefined,
): Promise<CarriedSteps | undefined> {
  if (!carried || boxKey === undefined || listed.join() !== carried.steps.join()) return undefined;
  // Also checked here: a face for which this device must vouch is never carried, even if a service
  // claims.
  if (!mayCarry(planned, carried.steps)) return undefined;
  const [box, signature, deviceKey, key] = [carried.box, carried.signature, carried.deviceKey, boxKey].map(
    decodeBase64url,
  );
  if (!box || !signature || !deviceKey || !key) return undefined;
  const { steps, planHash: hash } = carried;
  const findings = await openHandoffBox({ sessionId, planHash: hash, steps, box, signature, deviceKey }, key);
  return findings && { steps: [...steps], findings };
}

/**
 * Returns the leading completed steps whose findings are available and sufficient for the remaining
 * steps.
 */
function listCarriable(plan: PlanCourse, log: readonly LogEntry[], findings: HandoffFindings): number[] {
  const { steps } = plan;
  const finished = listFinishedSteps(plan, log);
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
