// Reads a plan from its text.
import type { DevicePlan } from './steps.ts';

/** Throws TypeError for a plan of a version that this code does not know. */
export function readPlan(text: string): DevicePlan {
  const plan = JSON.parse(text) as DevicePlan;
  if (plan.version === 1) return plan;
  throw new TypeError('the plan is of a version that this client does not speak; use a newer one');
}
