// Reads a plan from its text, in which sessions that were open during an upgrade still have it as an earlier version drew it.
import type { LightColour, LightPlan } from './light.ts';
import type { DevicePlan, PlanStep } from './steps.ts';

/** One draw, shown again as it was in every attempt; at first without a second round. */
interface EarlierLight {
  colours: LightColour[];
  again?: LightColour[];
  colourMs: number;
  required: boolean;
}

/** The text stays what it is: its hash is bound into the answer. */
export function readPlan(text: string): DevicePlan {
  const plan = JSON.parse(text) as DevicePlan;
  return { ...plan, steps: plan.steps.map(bringUpToDate) };
}

function bringUpToDate(step: PlanStep): PlanStep {
  if (step.step !== 'face' || !step.light) return step;
  const light: LightPlan | EarlierLight = step.light;
  if ('attempts' in light) return step;
  const { colours, again = [], colourMs, required } = light;
  return { ...step, light: { attempts: [{ colours, again, colourMs }], required, repeats: true } };
}
