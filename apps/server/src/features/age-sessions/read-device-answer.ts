// Reads what a device found: every field must be one that its plan asks for, and none may be missing.
import { AgeDeviceAnswer, type AgeReport, type DocumentPlanStep, Indicators, type PlanStep } from '@limen/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { AnswerTime } from '../../core/device-channel/device-flow.ts';
import { type DocumentAnswer, type FaceAnswer, isBelowThreshold } from './rules.ts';

// Compiled once. The schema is our own, and checking it against its own rules would take a tenth of a second.
const isDeviceAnswer = new Ajv2020({ validateSchema: false, meta: false }).compile<AgeDeviceAnswer>(AgeDeviceAnswer);

export interface ReadDeviceAnswer {
  face: FaceAnswer | undefined;
  document: DocumentAnswer | undefined;
  indicators: Indicators | null;
  /** Positions of the steps that had to run, in order. */
  stepsDue: number[];
  /** A spoof ends the capture where it was found. */
  cutShort: boolean;
}

/**
 * How far the time of a verification may lie outside of the capture: the device's clock is set by the service's over a
 * network that may be slow. Chosen, not measured.
 */
const CLOCK_SLACK_MS = 120_000;

/** Undefined for anything that does not fit the plan. */
export function readDeviceAnswer(
  steps: readonly PlanStep[],
  answer: unknown,
  time: AnswerTime,
): ReadDeviceAnswer | undefined {
  if (!isDeviceAnswer(answer)) return undefined;
  const indicators = readIndicators(answer.indicators);
  if (indicators === undefined) return undefined;
  const { face, document } = answer;
  const cutShort = face?.spoof === true;
  const stepsDue = listStepsDue(steps, face);
  const due = stepsDue.flatMap((position) => steps[position] ?? []);
  const faceStep = due.find(({ step }) => step === 'face');
  // After a spoof nothing else is of interest, and what is not needed shall not leave the device.
  const documentStep = cutShort ? undefined : due.find((step) => step.step === 'identity_document');
  if (!fitsFace(faceStep?.report, face)) return undefined;
  if (!fitsDocument(documentStep, document, faceStep !== undefined)) return undefined;
  if (document && !isWithin(document.verifiedAt, time)) return undefined;
  return { face, document, indicators, stepsDue, cutShort };
}

function listStepsDue(steps: readonly PlanStep[], face: FaceAnswer | undefined): number[] {
  const faceStep = steps.find(({ step }) => step === 'face');
  const below = faceStep !== undefined && isBelowThreshold(face, faceStep.ageThreshold);
  const due = [...steps.keys()].filter((position) => steps[position]?.when === 'always' || below);
  return face?.spoof ? due.filter((position) => position <= steps.findIndex(({ step }) => step === 'face')) : due;
}

/** `report` is undefined when the step was not due. */
function fitsFace(report: AgeReport | undefined, face: FaceAnswer | undefined): boolean {
  if (report === undefined || face === undefined) return report === undefined && face === undefined;
  if (face.spoof) return true;
  if ('thresholdResult' in face) return report === 'threshold';
  // A bound above its own estimate was not made by the model.
  return report === 'age' && face.lowerBound <= face.estimate;
}

function fitsDocument(
  step: DocumentPlanStep | undefined,
  document: DocumentAnswer | undefined,
  hasFace: boolean,
): boolean {
  if (step === undefined || document === undefined) return step === undefined && document === undefined;
  // Without a face there was nothing to compare with.
  if (document.matchScore !== null && !hasFace) return false;
  if (document.signs.includes('file') && !step.fromFile) return false;
  return step.report === ('thresholdResult' in document ? 'threshold' : 'age');
}

/** From the plan being served to the answer. A clock of ours that was set back makes the two change places. */
function isWithin(verifiedAt: string, { servedAt, answeredAt }: AnswerTime): boolean {
  const at = Date.parse(verifiedAt);
  // The 30th of February has the right form too, and is read as a day in March.
  if (Number.isNaN(at) || new Date(at).toISOString().replace('.000', '') !== verifiedAt) return false;
  const from = Math.min(servedAt, answeredAt) - CLOCK_SLACK_MS;
  return at >= from && at <= Math.max(servedAt, answeredAt) + CLOCK_SLACK_MS;
}

/** The names that were seen become a yes or no for each; undefined when one of them is not known. */
function readIndicators(seen: AgeDeviceAnswer['indicators']): Indicators | null | undefined {
  if (seen === null) return null;
  const read = new Map<string, Record<string, boolean>>();
  for (const [group, { properties }] of Object.entries(Indicators.properties)) {
    const names = Object.keys(properties);
    const raised = seen[group as keyof Indicators];
    if (!raised.every((name) => names.includes(name))) return undefined;
    read.set(group, Object.fromEntries(names.map((name) => [name, raised.includes(name)])));
  }
  return Object.fromEntries(read) as unknown as Indicators;
}
