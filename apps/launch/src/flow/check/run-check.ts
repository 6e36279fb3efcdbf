// From the opened camera to the answer that the service took: every step of the plan, in its order.
import { type DevicePlan, type LogEntry, type PlanStep, readStanding, stepsBegun, stepsDue } from '@limen/plan';
import type { DeviceClient, DeviceView } from '@limen/sdk/device';
import { comparePortrait } from '../../steps/document/document-findings.ts';
import { StepProblem } from '../../steps/step-problem.ts';
import { untilAnswered } from '../waiting/until-answered.ts';
import { unpackFindings } from './carry-findings.ts';
import { type Found, type KeptFindings, wipeEmbeddings } from './keep-findings.ts';
import { runDocument } from './run-document.ts';
import { runFace } from './run-face.ts';
import { runContact, runPasskey, runToken } from './run-person-steps.ts';
import type { CheckOptions, Course } from './step-tools.ts';

type Findings = Parameters<DeviceClient['submit']>[0];

/** What the steps find is put into `kept`, and what is there already is not looked for again. */
export async function runCheck(options: CheckOptions & { kept: KeptFindings }): Promise<DeviceView> {
  const { session, platform, show, control, kept } = options;
  const { client, plan } = session;
  const { signal } = control;
  const found = kept.of(plan, client.log());
  const record = (event: LogEntry[0], index: number) => {
    // Not waited for: guidance goes on while the network is slow. What is refused ends the check.
    client.record(event, index).catch((error: unknown) => control.abort(toLogProblem(error)));
  };

  takeCarried(options, found, record);
  for (let index = 0; index < plan.steps.length; index += 1) {
    if (found.done.includes(index) || !isDue(index, plan, found, client.log())) continue;
    // The end of the step before. That of the last one goes with the answer: once it is reported, a reload could not go on.
    const last = found.done.at(-1);
    if (last !== undefined && readStanding(client.log()).get(last) !== 'finished') record('finished', last);
    const way = await runStep(options, plan.steps[index]!, { index, record }, found);
    // Findings without their face would be no findings. What came after all was wiped is not among what is kept.
    if (signal.aborted) kept.wipe(found);
    signal.throwIfAborted();
    if (way === 'again') {
      // From the face on: by then nothing is done any more.
      index = -1;
      continue;
    }
    found.done.push(index);
    found.log = client.log();
  }
  found.answer ??= toFindings(found);
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

/** What the device before has found is this one's from now on, if nothing was begun here. */
function takeCarried({ session: { client, plan } }: CheckOptions, found: Found, record: Course['record']): void {
  const carried = client.log().length === 0 && client.carried();
  if (!carried || !unpackFindings(plan, carried, found)) return;
  for (const index of carried.steps) record('carried', index);
  found.log = client.log();
}

async function runStep(options: CheckOptions, step: PlanStep, course: Course, found: Found): Promise<'again' | 'done'> {
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

/** Only now is it sure that the service knows the device as this person's. A browser that keeps nothing is no failure. */
async function rememberPerson({ person }: CheckOptions, { end }: DeviceView, { remember }: Found): Promise<void> {
  if (!remember || end?.flowStatus !== 'COMPLETED' || end.errors.length > 0) return;
  await person.people.save(remember.record, remember.replaces).catch(() => undefined);
}

function toFindings({ face, document, contact, indicators, camera = [] }: Found): Findings {
  const seen = { ...(indicators && { indicators }), ...(camera.length > 0 && { camera: [...camera] }) };
  // After a spoof nothing else is of interest, and what is not needed does not leave the device.
  if (face?.face.spoof) return { face: face.face, ...seen };
  return {
    ...(face && { face: face.face }),
    ...(document && { document: comparePortrait(document, face?.embedding ?? null) }),
    ...(contact && { contact }),
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

function isDue(index: number, { steps }: DevicePlan, found: Found, log: readonly LogEntry[]): boolean {
  // What a spoof cuts short has nothing behind it that could still be due.
  return !found.face?.face.spoof && stepsDue(steps, found.face?.face, stepsBegun(log)).includes(index);
}
