// Reads what a device found: every field must be one that its plan asks for, and none may be missing.
import { AgeDeviceAnswer, type AgeReport, Indicators, type PlanStep } from '@limen/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
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

/** Undefined for anything that does not fit the plan. */
export function readDeviceAnswer(steps: readonly PlanStep[], answer: unknown): ReadDeviceAnswer | undefined {
  if (!isDeviceAnswer(answer)) return undefined;
  const indicators = readIndicators(answer.indicators);
  if (indicators === undefined) return undefined;
  const { face, document } = answer;
  const cutShort = face?.spoof === true;
  const stepsDue = listStepsDue(steps, face);
  const due = stepsDue.flatMap((position) => steps[position] ?? []);
  const faceStep = due.find(({ step }) => step === 'face');
  // After a spoof nothing else is of interest, and what is not needed shall not leave the device.
  const documentStep = cutShort ? undefined : due.find(({ step }) => step === 'identity_document');
  if (!fitsFace(faceStep?.report, face) || !fitsDocument(documentStep?.report, document)) return undefined;
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

function fitsDocument(report: AgeReport | undefined, document: DocumentAnswer | undefined): boolean {
  if (report === undefined || document === undefined) return report === undefined && document === undefined;
  const { matchScore } = document;
  if (matchScore !== null && Math.abs(matchScore) > 1) return false;
  return report === ('thresholdResult' in document ? 'threshold' : 'age');
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
