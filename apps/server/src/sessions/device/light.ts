// The light that a session asks of a device, and what the service makes of a face that was not lit as drawn.
import type { LightPolicy } from '@limen/contract';
import { type LightCourse, type LightFinding, type LightPlan, listPossibleFindings } from '@limen/plan';

/** `off` asks for light only if the session does. `enforce` treats a face that was not lit as drawn as a spoof. */
export type LightChallenge = 'off' | 'flag' | 'enforce';

/** Returns what the host asked for, or else what the service asks for. */
export function chooseLight(asked: LightPolicy | undefined, challenge: LightChallenge): LightPolicy | undefined {
  return asked ?? (challenge === 'off' ? undefined : 'optional');
}

export function describeLight(light: LightPolicy | undefined): { light: boolean; lightRequired?: true } {
  return { light: light !== undefined, ...(light === 'required' && { lightRequired: true }) };
}

/** Returns whether the reported finding is possible with the light that was shown. */
export function fitsLight(plan: LightPlan | undefined, found: LightFinding | undefined, shown: LightCourse): boolean {
  if (!plan || found === undefined) return plan === undefined && found === undefined;
  return listPossibleFindings(plan, shown).includes(found);
}

/** Returns whether the light alone makes this face a spoof. A single round does not, after the person stopped the colors. */
export function isSpoofByLight(
  challenge: LightChallenge,
  face: { spoof: boolean; light?: LightFinding } | undefined,
  { isStopped }: LightCourse,
): boolean {
  return challenge === 'enforce' && face?.light === 'not_lit' && !isStopped;
}
