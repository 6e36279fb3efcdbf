// What a device says of the light: whether it fits the plan, and what the service makes of a face that was not lit as drawn.
import type { LightPolicy } from '@limen/contract';
import type { LightFinding, LightPlan } from '@limen/plan';

/** `off` asks for none unless a session does; `enforce` takes a face that was not lit as drawn for a spoof. */
export type LightChallenge = 'off' | 'flag' | 'enforce';

/** What the host asked for, or else the service asks for; nothing where neither does. */
export function chooseLight(asked: LightPolicy | undefined, challenge: LightChallenge): LightPolicy | undefined {
  return asked ?? (challenge === 'off' ? undefined : 'optional');
}

/** It is declined if and only if none was shown to its end; where none was asked for, nothing is said. */
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
