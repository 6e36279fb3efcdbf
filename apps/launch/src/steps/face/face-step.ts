// Runs the face step: guides the person, asks for the plan's movements, and estimates the age.
import type { CaptureFacts } from '@limen/contract';
import { compareAge, type FacePlanStep, isBelow, MAX_YEARS } from '@limen/plan';
import type { DeviceFindings } from '@limen/sdk/device';
import { wipe } from '../../models/wipe.ts';
import { StepProblem } from '../step-problem.ts';
import { type FaceStepOptions, followPerson } from './follow-person.ts';
import { LightRun } from './light-run.ts';

type FaceFindings = NonNullable<DeviceFindings['face']>;

export interface FaceOutcome {
  face: FaceFindings;
  /** Embedding for a later step's comparison. Never leaves the device. */
  embedding: Float32Array | null;
  /** Set if the plan wants a selfie. */
  selfie?: Uint8Array;
  /** Camera facts for the audit of the comparison. */
  capture?: CaptureFacts;
}

/** The passive score fails some genuine people on some frames, so they get a second look. */
const MAX_LOOKS = 2;
/** Runs the step. Leaves its end to the answer, so that a reload before it can resume. */
export async function runFaceStep(options: FaceStepOptions): Promise<FaceOutcome> {
  const { step, wants, eye, camera, show } = options;
  const { index, begun, record } = options.course;
  const wantsAge = step.report !== 'none';
  const { light: known, clock } = options;
  const light = step.light && new LightRun({ plan: step.light, known, record, show, judge: eye.judgeLight, clock });
  try {
    record(begun ? 'retried' : 'started', index);
    for (let look = 1; ; look += 1) {
      const brightness = await followPerson(options, light);
      if (brightness === false) return { face: { spoof: true }, embedding: null };
      const lit = await light?.finding();
      show({ name: 'working', doing: wantsAge ? 'estimating' : 'looking', offline: false });
      const examined = await eye.examine({
        age: wantsAge,
        ...(step.ageBound && { ageBound: step.ageBound }),
        embedding: wants.embedding,
        ...(wants.selfie && { selfie: true }),
      });
      if (!examined || (wantsAge && !examined.age) || (wants.embedding && !examined.embedding)) {
        wipe(examined);
        throw new StepProblem('scan');
      }
      const { age, embedding, selfie } = examined;
      if (examined.liveness >= eye.limits.live)
        return {
          face: { ...toFindings(step, age), ...(lit && { light: lit }) },
          embedding,
          ...(selfie && { selfie }),
          ...(wants.embedding && {
            capture: { ...camera.readFacts?.(), light: Math.round(Math.min(Math.max(brightness, 0), 255)) },
          }),
        };
      wipe(examined);
      if (look === MAX_LOOKS) return { face: { spoof: true }, embedding: null };
      record('retried', index);
      show({ name: 'capture', prompt: 'challenge.again', tone: 'fix', progress: null, paused: false });
    }
  } finally {
    light?.stop();
    eye.forget();
  }
}

/** Reduces the findings to the plan's report. For a threshold, no age leaves the device. */
export function toFindings(step: FacePlanStep, found: { age: number; lowerBound: number } | null): FaceFindings {
  if (step.report === 'none' || !found) return { spoof: false };
  const { age, lowerBound } = found;
  // Tenths exceed the precision. Rounded down, because rounding up could cross the threshold.
  const estimate = Math.floor(clamp(age) * 10) / 10;
  const bound = Math.min(Math.floor(clamp(lowerBound) * 10) / 10, estimate);
  if (step.report === 'age') return { spoof: false, estimate, lowerBound: bound };
  const thresholdResult = compareAge(bound, step.ageThreshold);
  if (thresholdResult !== 'AGE_BELOW_THRESHOLD') return { spoof: false, thresholdResult };
  return { spoof: false, thresholdResult, estimateBelow: isBelow(estimate, step.ageThreshold) };
}

function clamp(years: number): number {
  return Math.min(Math.max(years, 0), MAX_YEARS);
}
