// From the opened camera to the answer that the service took: every step of the plan, in its order.
import type { DeviceClient, DevicePlan, DeviceView, LogEntry, PlanStep } from '@limen/sdk/device';
import { toDocumentFindings } from '../steps/document-findings.ts';
import { StepProblem } from '../steps/step-problem.ts';
import { type CheckOptions, type Found, runDocument, runFace } from './run-steps.ts';
import { untilAnswered } from './until-answered.ts';

type Findings = Parameters<DeviceClient['submit']>[0];

export async function runCheck(options: CheckOptions): Promise<DeviceView> {
  const { client, plan, platform, show, control } = options;
  const { signal } = control;
  const record = (event: LogEntry[0], index: number) => {
    // Not waited for: guidance goes on while the network is slow. What is refused ends the check.
    client.record(event, index).catch((error: unknown) => control.abort(toLogProblem(error)));
  };
  const found: Found = {};
  /** The step that was done last. Its end goes with the answer: after it is reported, a reload could not go on. */
  let done: number | undefined;
  // What was found before a reload, or on another device, is gone: it all begins again, with the first step.
  let begun = client.log().length > 0;

  try {
    for (const [index, step] of plan.steps.entries()) {
      if (!isDue(step, plan, found)) continue;
      if (done !== undefined) record('finished', done);
      const course = { index, begun, record };
      begun = false;
      if (step.step === 'face') found.face = await runFace(options, step, course, found);
      else found.document = await runDocument(options, step, course, found);
      done = found.face?.face.spoof ? undefined : index;
    }
    const findings = toFindings(found);
    const showSending = (offline: boolean) => show({ name: 'working', doing: 'sending', offline });
    showSending(false);
    const submit = () => client.submit(findings, { finish: done }).catch((error: unknown) => throwLogProblem(error));
    return await untilAnswered(submit, { platform, signal, onWaiting: showSending });
  } finally {
    found.face?.embedding?.fill(0);
    found.document?.outcome.found.embedding?.fill(0);
  }
}

function toFindings({ face, document, indicators }: Found): Findings {
  const seen = indicators && { indicators };
  // After a spoof nothing else is of interest, and what is not needed does not leave the device.
  if (face?.face.spoof) return { face: face.face, ...seen };
  const live = face?.embedding ?? null;
  return {
    ...(face && { face: face.face }),
    ...(document && { document: toDocumentFindings(document.step, document.outcome, { nowMs: document.at, live }) }),
    ...seen,
  };
}

/** The client's word for a log that takes no more: no more attempts either. */
function toLogProblem(error: unknown): unknown {
  return error instanceof RangeError ? new StepProblem('scan', { isFinal: true, cause: error }) : error;
}

function throwLogProblem(error: unknown): never {
  throw toLogProblem(error);
}

/** After a spoof nothing else is looked at; a conditional step is due below the face step's threshold. */
function isDue(step: PlanStep, plan: DevicePlan, found: Found): boolean {
  const face = found.face?.face;
  if (face?.spoof) return false;
  if (step.when === 'always') return true;
  if (!face) return false;
  if ('thresholdResult' in face) return face.thresholdResult === 'AGE_BELOW_THRESHOLD';
  const faceStep = plan.steps.find((other) => other.step === 'face');
  return faceStep !== undefined && Math.floor(face.lowerBound) < faceStep.ageThreshold;
}
