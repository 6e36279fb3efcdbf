// Runs the passkey step: explains the browser's prompt, opens it, and sends the response to the
// service.
import type { PasskeyPlanStep } from '@limen/plan';
import type { PasskeyOptionsReply, PasskeyReply } from '@limen/sdk/device';
import type { PasskeyScreen, Screen } from '../../course/screens.ts';
import type { Passkeys } from '../../passkeys/passkeys.ts';
import { recordStart, type StepCourse } from '../step-course.ts';
import { StepProblem } from '../step-problem.ts';

export interface PasskeyStepOptions {
  step: PasskeyPlanStep;
  course: StepCourse;
  /** Whether the service accepted a passkey for this plan before the face was repeated. */
  isAccepted: boolean;
  canUsePhone: boolean;
  passkeys: Pick<Passkeys, 'isSupported' | 'prepare'> & {
    /** Returns null if the prompt was closed or failed. */
    ask(...question: Parameters<Passkeys['ask']>): Promise<object | null>;
  };
  /** Each call repeats until it is answered. */
  service: {
    passkeyOptions(): Promise<PasskeyOptionsReply>;
    sendPasskey(response: object): Promise<PasskeyReply>;
  };
  /** Resolves when the person wants the prompt. */
  choose(): Promise<unknown>;
  show(screen: Screen): void;
}

/** Settles after a passkey was accepted. Records everything but the step's end. */
export async function runPasskeyStep(stepOptions: PasskeyStepOptions): Promise<void> {
  const { step, isAccepted, canUsePhone, passkeys, service, choose, show } = stepOptions;
  recordStart(stepOptions.course);
  if (isAccepted) return;
  const { operation } = step;
  const showState = (state: PasskeyScreen['state']) => show({ name: 'passkey', operation, state, canUsePhone });
  if (!passkeys.isSupported()) {
    showState('unsupported');
    // Another device or giving up ends this loop.
    for (;;) await choose();
  }
  let state: PasskeyScreen['state'] = 'explain';
  let options: object | null = null;
  for (;;) {
    // Fetched before the press, because the prompt must follow it directly. Unused options stay
    // valid.
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
