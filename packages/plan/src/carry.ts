// Which findings may go from one device to the next when a session is handed on.
import type { PlanStep } from './steps.ts';

/**
 * A picture never goes along. And a face that is to be recognised is shown to the device that compares it: whoever began
 * the session could seal the face of anybody, and let that person's own device speak for it. Only a passkey that was used
 * on the device that began says who sat there.
 */
export function mayCarry(steps: readonly PlanStep[], carried: readonly number[]): boolean {
  const token = steps.find((step) => step.step === 'token');
  if (!token) return true;
  if (token.sendsSelfie) return false;
  const kinds = carried.map((position) => steps[position]?.step);
  return token.operation === 'ENROLL' || !kinds.includes('face') || kinds.includes('passkey');
}
