// Runs the steps that identify a person: the comparison, the passkey and the contact details.
import type { ContactPlanStep, PasskeyPlanStep, TokenPlanStep } from '@limen/plan';
import { LimenError } from '@limen/sdk/device';
import type { Screen } from '../../course/screens.ts';
import { thresholdOf } from '../../face/index.ts';
import { type Contact, runContactStep } from '../../steps/person/contact-step.ts';
import { runPasskeyStep } from '../../steps/person/passkey-step.ts';
import { giveUp, runTokenStep, type TokenOutcome, type TokenStepOptions } from '../../steps/person/token-step.ts';
import { StepProblem } from '../../steps/step-problem.ts';
import { toMinutes } from '../session/describe-view.ts';
import { countDown } from '../waiting/count-down.ts';
import { until } from '../waiting/until.ts';
import { untilAnswered } from '../waiting/until-answered.ts';
import { type CheckFindings, startOver } from './keep-findings.ts';
import { type CheckOptions, type Course, type PersonChoice, withStanding } from './step-tools.ts';

export async function runToken(
  baseOptions: CheckOptions,
  step: TokenPlanStep,
  course: Course,
  found: CheckFindings,
): Promise<TokenOutcome> {
  const options = showUntilAborted(baseOptions);
  const { session, models, show } = options;
  const { client } = session;
  const { signal } = options.control;
  // Already loaded, unless the worker died.
  const thresholds = await until(models.load('face'), signal);
  const { embedding = null, selfie = null, capture } = found.face ?? {};
  if (!embedding) throw new StepProblem('scan');
  const service = createAsker(options);
  const outcome = await runTokenStep({
    step,
    course: withStanding(course, session),
    session: { id: session.plan.sessionId, now: session.serverNow },
    seen: { face: embedding, selfie, capture },
    known: {
      people: options.person.people,
      threshold: thresholdOf({ thresholds }, 'embedding', 'falseMatch1In100000'),
    },
    service: {
      tokenChallenge: () => service(() => client.tokenChallenge({ signal })),
      sendToken: (pieces) => service(() => client.sendToken(pieces, { signal })),
      signInLocally: (device) => service(() => client.signInLocally(device, { signal, indicators: found.indicators })),
      sendSelfie: (jpeg) => service(() => client.sendSelfie(jpeg, { signal })),
    },
    encryptor: {
      open: (modelId) => until(models.engine.openEncryptor(modelId), signal),
      encrypt: (wish) => until(models.engine.encrypt(wish), signal),
    },
    screens: {
      show,
      waitForNextTry(why) {
        // Keeps nothing of the face while the person reads or waits.
        startOver(found);
        return why.name === 'wait' ? waitForTurn(options, step, why.seconds) : askAgain(options, why);
      },
    },
  });
  found.face?.selfie?.fill(0);
  return outcome;
}

type NotRecognized = Extract<Parameters<TokenStepOptions['screens']['waitForNextTry']>[0], { name: 'not_recognized' }>;

async function askAgain(options: CheckOptions, screen: NotRecognized): Promise<void> {
  options.show(screen);
  await take(options, 'face');
}

/** Counts the wait down on screen. Gives up at once if the wait exceeds the session. */
async function waitForTurn(options: CheckOptions, step: TokenPlanStep, seconds: number): Promise<void> {
  const { platform, session, show } = options;
  if (seconds * 1000 >= session.timeLeftMs()) throw giveUp(step, seconds * 1000);
  const end = platform.now() + seconds * 1000;
  const isEnrollment = step.operation === 'ENROLL';
  const stopCounting = countDown(platform, end, (leftMs) =>
    show({ name: 'wait', minutesLeft: leftMs > 0 ? toMinutes(leftMs) : 0, isEnrolment: isEnrollment }),
  );
  try {
    do await take(options, 'face');
    while (platform.now() < end);
  } finally {
    stopCounting();
  }
}

export async function runPasskey(
  baseOptions: CheckOptions,
  step: PasskeyPlanStep,
  course: Course,
  found: CheckFindings,
): Promise<true> {
  const options = showUntilAborted(baseOptions);
  const { session, show } = options;
  const { client } = session;
  const { passkeys } = options.person;
  const { signal } = options.control;
  const service = createAsker(options);
  await runPasskeyStep({
    step,
    course: withStanding(course, session),
    show,
    canUsePhone: session.canUsePhone,
    isAccepted: found.passkey ?? false,
    passkeys: {
      ...passkeys,
      // A closed prompt is not a failure. The signal ends a prompt that stays open.
      ask: (...question) =>
        until(
          passkeys.ask(...question).catch(() => null),
          signal,
        ),
    },
    service: {
      passkeyOptions: () => service(() => client.passkeyOptions({ signal })),
      sendPasskey: (response) => service(() => client.sendPasskey(response, { signal })),
    },
    choose: () => take(options, 'passkey'),
  });
  return true;
}

export function runContact(options: CheckOptions, step: ContactPlanStep, course: Course): Promise<Contact> {
  return runContactStep({
    step,
    course: withStanding(course, options.session),
    show: options.show,
    choose: async () => (await take(options, 'contact')).typed,
  });
}

/** Keeps late screens from covering what was shown since. */
function showUntilAborted(options: CheckOptions): CheckOptions {
  const show = (screen: Screen) => {
    if (!options.control.signal.aborted) options.show(screen);
  };
  return { ...options, show };
}

/** Takes the next choice of that kind. Ignores late presses of buttons from earlier screens. */
async function take<Name extends PersonChoice['choice']>(
  { person, control }: CheckOptions,
  wanted: Name,
): Promise<Extract<PersonChoice, { choice: Name }>> {
  for (;;) {
    const made = await person.choose(control.signal);
    if (made.choice === wanted) return made as Extract<PersonChoice, { choice: Name }>;
  }
}

/** Repeats a call until it is answered. Reports an unavailable key-holder at once. */
function createAsker({ platform, show, control: { signal } }: CheckOptions) {
  return <Result>(call: () => Promise<Result>): Promise<Result> => {
    const onWaiting = (offline: boolean) => {
      if (offline) show({ name: 'working', doing: 'sending', offline } satisfies Screen);
    };
    return untilAnswered(() => call().catch(throwUnavailable), { platform, signal, onWaiting });
  };
}

function throwUnavailable(error: unknown): never {
  if (error instanceof LimenError && error.code === 'keyholder_unavailable')
    throw new StepProblem('unavailable', { cause: error });
  throw error;
}
