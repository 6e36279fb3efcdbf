// Runs every step of the plan in order, from the opened camera to the accepted answer.
import { type DevicePlan, type LogEntry, listBegunSteps, type PlanStep, readStanding, stepsDue } from '@limen/plan';
import type { DeviceClient, DeviceView } from '@limen/sdk/device';
import { comparePortrait } from '../../steps/document/document-findings.ts';
import { StepProblem } from '../../steps/step-problem.ts';
import { untilAnswered } from '../waiting/until-answered.ts';
import { unpackFindings } from './carry-findings.ts';
import { type CheckFindings, type FindingsStore, wipeEmbeddings } from './keep-findings.ts';
import { runDocument } from './run-document.ts';
import { runFace } from './run-face.ts';
import { runContact, runPasskey, runToken } from './run-person-steps.ts';
import type { CheckOptions, Course } from './step-tools.ts';

type SubmittedAnswer = Parameters<DeviceClient['submit']>[0];

/** Stores the findings of each step in `kept` and skips steps whose findings are there. */
export async function runCheck(options: CheckOptions & { kept: FindingsStore }): Promise<DeviceView> {
  const { session, platform, show, control, kept } = options;
  const { client, plan } = session;
  const { signal } = control;
  const found = kept.get(plan, client.log());
  const record = (event: LogEntry[0], index: number) => {
    // Not awaited, so guidance continues on a slow network. A refusal ends the check.
    client.record(event, index).catch((error: unknown) => control.abort(toLogProblem(error)));
  };

  takeCarried(options, found, record);
  for (let index = 0; index < plan.steps.length; index += 1) {
    if (found.done.includes(index) || !isDue(index, plan, found, client.log())) continue;
    // Reports the end of the previous step. The last end goes with the answer, or a reload could
    // not resume.
    const last = found.done.at(-1);
    if (last !== undefined && readStanding(client.log()).get(last) !== 'finished') record('finished', last);
    const outcome = await runStep(options, plan.steps[index]!, { index, record }, found);
    // The store may hold other findings by now, so wipe those of this run.
    if (signal.aborted) kept.wipe(found);
    signal.throwIfAborted();
    if (outcome === 'again') {
      // Starts over with the face. `found.done` is empty by then.
      index = -1;
      continue;
    }
    found.done.push(index);
    found.log = client.log();
  }
  found.answer ??= toAnswer(found);
  const { answer } = found;
  wipeEmbeddings(found);
  // A spoof is answered from within its step.
  const finish = found.face?.face.spoof ? undefined : found.done.at(-1);
  const showSending = (offline: boolean) => show({ name: 'working', doing: 'sending', offline });
  showSending(false);
  const submit = () => client.submit(answer, { finish }).catch((error: unknown) => throwLogProblem(error));
  const view = await untilAnswered(submit, { platform, signal, onWaiting: showSending });
  await rememberPerson(options, view, found);
  return view;
}

/** Adopts the findings of the previous device, unless this device has started a step. */
function takeCarried(
  { session: { client, plan } }: CheckOptions,
  found: CheckFindings,
  record: Course['record'],
): void {
  const carried = client.log().length === 0 && client.carried();
  if (!carried || !unpackFindings(plan, carried, found)) return;
  for (const index of carried.steps) record('carried', index);
  found.log = client.log();
}

async function runStep(
  options: CheckOptions,
  step: PlanStep,
  course: Course,
  found: CheckFindings,
): Promise<'again' | 'done'> {
  switch (step.step) {
    case 'face':
      found.face = await runFace(options, step, course, found);
      break;
    case 'identity_document':
      found.document = await runDocument(options, step, course, found);
      break;
    case 'token': {
      const outcome = await runToken(options, step, course, found);
      if (outcome === 'again') return 'again';
      found.remember = outcome.remember;
      break;
    }
    case 'passkey':
      found.passkey = await runPasskey(options, step, course, found);
      break;
    case 'contact':
      found.contact = await runContact(options, step, course);
      break;
  }
  return 'done';
}

/** Saves the person once the service has accepted the device. A failure to store is ignored. */
async function rememberPerson(
  { person }: CheckOptions,
  { end }: DeviceView,
  { remember }: CheckFindings,
): Promise<void> {
  if (!remember || end?.flowStatus !== 'COMPLETED' || end.errors.length > 0) return;
  await person.people.save(remember.record, remember.replaces).catch(() => undefined);
}

function toAnswer({ face, document, contact, indicators, camera = [] }: CheckFindings): SubmittedAnswer {
  const seen = { ...(indicators && { indicators }), ...(camera.length > 0 && { camera: [...camera] }) };
  // After a spoof no other findings leave the device.
  if (face?.face.spoof) return { face: face.face, ...seen };
  return {
    ...(face && { face: face.face }),
    ...(document && { document: comparePortrait(document, face?.embedding ?? null) }),
    ...(contact && { contact }),
    ...seen,
  };
}

/** Maps the client's error for a full log to a final problem. */
function toLogProblem(error: unknown): unknown {
  return error instanceof RangeError ? new StepProblem('scan', { isFinal: true, cause: error }) : error;
}

function throwLogProblem(error: unknown): never {
  throw toLogProblem(error);
}

function isDue(index: number, { steps }: DevicePlan, found: CheckFindings, log: readonly LogEntry[]): boolean {
  // A spoof ends the plan.
  return !found.face?.face.spoof && stepsDue(steps, found.face?.face, listBegunSteps(log)).includes(index);
}
