// The passkey step: says what the browser is about to ask, lets it ask, and has the service look at what came of it.
import type { PasskeyPlanStep } from '@limen/plan';
import type { PasskeyOptionsReply, PasskeyReply } from '@limen/sdk/device';
import type { PasskeyScreen, Screen } from '../../course/screens.ts';
import type { Passkeys } from '../../passkeys/passkeys.ts';
import { recordStart, type StepCourse } from '../step-course.ts';
import { StepProblem } from '../step-problem.ts';

export interface PasskeyStepOptions {
  step: PasskeyPlanStep;
  course: StepCourse;
  /** The service took one for this plan already: the face alone had to be shown again. */
  isAccepted: boolean;
  canUsePhone: boolean;
  passkeys: Pick<Passkeys, 'isSupported' | 'prepare'> & {
    /** Null where nothing came of the question. */
    ask(...question: Parameters<Passkeys['ask']>): Promise<object | null>;
  };
  /** Each asks until it is answered. */
  service: {
    passkeyOptions(): Promise<PasskeyOptionsReply>;
    sendPasskey(response: object): Promise<PasskeyReply>;
  };
  /** The person wants the browser to ask. */
  choose(): Promise<unknown>;
  show(screen: Screen): void;
}

/** Settles once one was accepted. It records everything but the step's end. */
export async function runPasskeyStep(given: PasskeyStepOptions): Promise<void> {
  const { step, isAccepted, canUsePhone, passkeys, service, choose, show } = given;
  recordStart(given.course);
  if (isAccepted) return;
  const { operation } = step;
  const showState = (state: PasskeyScreen['state']) => show({ name: 'passkey', operation, state, canUsePhone });
  if (!passkeys.isSupported()) {
    showState('unsupported');
    // The ways on are another device and giving up, which both end this.
    for (;;) await choose();
  }
  let state: PasskeyScreen['state'] = 'explain';
  let options: object | null = null;
  for (;;) {
    // Before the press: what comes after it has to be the browser's question. Those that came to nothing are still good.
    options ??= await prepare(service, passkeys);
    showState(state);
    await choose();
    showState('asking');
    const response = await passkeys.ask(operation, options);
    if (!response) {
      state = 'closed';
      continue;
    }
    options = null;
    show({ name: 'working', doing: 'passkey', offline: false });
    const { outcome, triesLeft } = await service.sendPasskey(response);
    if (outcome === 'accepted') return;
    if (triesLeft === 0) throw new StepProblem('passkey', { isFinal: true });
    state = 'refused';
  }
}

async function prepare(
  service: PasskeyStepOptions['service'],
  passkeys: Pick<Passkeys, 'prepare'>,
): Promise<PasskeyOptionsReply['publicKey']> {
  const [{ publicKey }] = await Promise.all([service.passkeyOptions(), passkeys.prepare()]);
  return publicKey;
}
