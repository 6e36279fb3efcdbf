// What a device says of the light: whether it fits the plan, and what the service makes of a face that was not lit as drawn.
import type { LightPolicy } from '@limen/contract';
import { type LightCourse, type LightFinding, type LightPlan, possibleFindings } from '@limen/plan';

/** `off` asks for none unless a session does; `enforce` takes a face that was not lit as drawn for a spoof. */
export type LightChallenge = 'off' | 'flag' | 'enforce';

/** What the host asked for, or else the service asks for; nothing where neither does. */
export function chooseLight(asked: LightPolicy | undefined, challenge: LightChallenge): LightPolicy | undefined {
  return asked ?? (challenge === 'off' ? undefined : 'optional');
}

/** It is what can be found by as much as was shown; where none was asked for, nothing is said. */
export function fitsLight(plan: LightPlan | undefined, found: LightFinding | undefined, shown: LightCourse): boolean {
  if (!plan || found === undefined) return plan === undefined && found === undefined;
  return possibleFindings(plan, shown).includes(found);
}

/**
 * As if the device had said so itself. Not where the person stopped the colours: then it is known of one round only, which
 * takes ALLOW away and refuses nobody.
 */
export function isSpoofByLight(
  challenge: LightChallenge,
  face: { spoof: boolean; light?: LightFinding } | undefined,
  { isStopped }: LightCourse,
): boolean {
  return challenge === 'enforce' && face?.light === 'not_lit' && !isStopped;
}
