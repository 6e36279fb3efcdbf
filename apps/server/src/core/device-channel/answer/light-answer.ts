// What a device says of the light: whether it fits the plan, and what the service makes of a face that was not lit as drawn.
import type { LightFinding, LightPlan } from '@limen/plan';

/** `off` asks for none unless a session does; `enforce` takes a face that was not lit as drawn for a spoof. */
export type LightChallenge = 'off' | 'flag' | 'enforce';

/** It is declined if and only if none was shown; where none was asked for, nothing is said. */
export function fitsLight(plan: LightPlan | undefined, found: LightFinding | undefined, lit: boolean): boolean {
  if (!plan || found === undefined) return plan === undefined && found === undefined;
  return (found === 'declined') !== lit;
}

/** As if the device had said so itself. */
export function isSpoofByLight(
  challenge: LightChallenge,
  face: { spoof: boolean; light?: LightFinding } | undefined,
): boolean {
  return challenge === 'enforce' && face?.light === 'not_lit';
}
