// The page's flow: creates its parts and connects them. course/transitions.ts lists the actions of
// each screen.
import type { DeviceClient, DevicePlan, DeviceView } from '@limen/sdk/device';
import type { Actions, PageState } from '../course/screens.ts';
import type { FaceEngine } from '../models/face-engine.ts';
import type { Wallets } from '../wallets/wallets.ts';
import { createActions } from './actions.ts';
import { createAttention, type PageAttention } from './camera/attention.ts';
import { createExplainer, type ExplainedCamera, type Explainer } from './camera/explain-camera.ts';
import { type HeldModels, type HoldModelsOptions, holdModels } from './check/hold-models.ts';
import { createFindingsStore, type FindingsStore } from './check/keep-findings.ts';
import { createMemory, type PeopleMemory } from './check/recall-people.ts';
import type { CheckOptions } from './check/step-tools.ts';
import { type ColorChoice, createColorChoice } from './colour-choice.ts';
import { createPhoneWatch, type PhoneWatch } from './handoff/follow-phone.ts';
import { createOpenSession, type OpenSession } from './open-session.ts';
import type { Platform } from './platform.ts';
import { createKeepAge } from './proofs/keep-age.ts';
import { createProofs, type Proofs } from './proofs/show-proof.ts';
import { createClaim, type SessionClaim } from './session/claim-session.ts';
import { describeFailure } from './session/describe-failure.ts';
import { createGiveUp, type GiveUp } from './session/give-up.ts';
import { createSendBack } from './session/send-back.ts';
import { createWelcome, type Welcome } from './session/show-welcome.ts';
import { createStanding, type Standing } from './session/standing.ts';
import { createSessionClock, type SessionClock } from './session/watch-clock.ts';
import { createStage, type Stage } from './stage.ts';
import { createPersonInput, type PersonInput } from './waiting/person-input.ts';
import { createWork, type RunningWork } from './work.ts';

export interface PageParts {
  client: DeviceClient;
  arrival: Arrival;
  engine: FaceEngine;
  camera: ExplainedCamera;
  /** Functions that load or read something later. */
  later: {
    loadCheck: HoldModelsOptions['loadCheck'];
    collectSignals: CheckOptions['camera']['collectSignals'];
    readPicture: CheckOptions['person']['readPicture'];
  };
  /** Stored people, passkeys and wallets of this browser. */
  keepers: Pick<CheckOptions['person'], 'people' | 'passkeys'> & { wallets: Wallets };
  platform: Platform;
  onChange(state: PageState): void;
}

/** How the page was reached, and whether it can be reached again. */
interface Arrival {
  /** One-time code of the address, if another device handed the session off. */
  code: string | undefined;
  /** Key next to the code. It opens the other device's findings. */
  boxKey: string | undefined;
  /** Code of the address, if a wallet on this device redirected here. */
  responseCode?: string | undefined;
  /** Whether a page that a wallet opens finds the device's key. Never in a frame. */
  comesBack: boolean;
}

/** Time on the first screen after which the models are loaded early. */
const READING_MS = 1_000;

/** Debug level from which the console also gets measurements. */
const FIGURES_DEBUG_LEVEL = 3;

export class LaunchPage {
  readonly actions: Actions;
  readonly #parts: PageParts;
  readonly #attention: PageAttention;
  readonly #standing: Standing;
  readonly #stage: Stage;
  readonly #clock: SessionClock;
  readonly #input: PersonInput;
  readonly #kept: FindingsStore;
  readonly #memory: PeopleMemory;
  readonly #colours: ColorChoice;
  readonly #explainer: Explainer;
  readonly #models: HeldModels;
  readonly #work: RunningWork;
  readonly #claiming: SessionClaim;
  readonly #session: OpenSession;
  readonly #proofs: Proofs;
  readonly #giveUp: GiveUp;
  readonly #phone: PhoneWatch;
  #retryTarget: 'capture' | 'phone' = 'capture';
  /** Plan of the last conflict with another window of this device. */
  #lastConflictPlan: ReturnType<SessionClaim['plan']>;

  constructor(parts: PageParts) {
    this.#parts = parts;
    const { client, arrival, engine, later, keepers, platform } = parts;
    const attention = createAttention(platform);
    const standing = createStanding(platform);
    const stage = createStage({ standing, attention, platform, onChange: parts.onChange });
    const clock = createSessionClock(platform);
    // Updates with every reply, because the platform's clock stops while the device sleeps.
    client.onView(clock.set);
    const input = createPersonInput();
    const kept = createFindingsStore();
    const memory = createMemory(keepers.people, () => welcome.refresh());
    const colors = createColorChoice(platform.wantsNoColours());
    const welcome: Welcome = createWelcome({
      stage,
      standing,
      clock,
      memory: memory.state,
      colours: colors,
      listUsableProofs: (accepted) => this.#proofs.listUsable(accepted),
      asksWallets: keepers.wallets.isSupported,
    });
    const explainer = createExplainer(parts.camera, stage.show);
    this.#models = holdModels({
      engine,
      platform,
      loadCheck: later.loadCheck,
      signal: stage.ended,
      onProgress: (progress) => this.#showProgress(progress),
    });
    const sendBack = createSendBack(platform);
    const fail = (error: unknown) => this.#fail(error);
    const work = createWork(stage.ended, fail);
    const { code, boxKey, comesBack } = arrival;
    const onBack = () => this.#onBack();
    const claiming = createClaim({ client, platform, code, boxKey, show: stage.show, onBack });
    const tools = { client, platform, stage, work, standing, claiming, kept };
    const capture = () => this.#capture();
    this.#session = createOpenSession({
      ...tools,
      clock,
      welcome,
      memory,
      engine,
      sendBack,
      take: { number: input.number.take, code: input.returnCode.take },
      goOn: { capture, followPhone: () => this.#watchPhone(true), onReading: () => this.#warmUp() },
      canKeep: keepers.passkeys.isSupported,
    });
    const { open } = this.#session;
    this.#proofs = createProofs({
      ...tools,
      passkeys: keepers.passkeys,
      wallets: keepers.wallets,
      comesBack,
      collectSignals: () => later.collectSignals(null),
      welcome: () => welcome,
      open,
    });
    this.#giveUp = createGiveUp({ ...tools, open });
    this.#phone = createPhoneWatch({ ...tools, open, fail });
    const { renewCode } = this.#phone;
    const keepAge = createKeepAge({ client, passkeys: keepers.passkeys, stage });
    this.actions = createActions({
      stage,
      work,
      input,
      offers: { welcome, explainer, memory, colours: colors, proofs: this.#proofs },
      session: { claiming, giveUp: this.#giveUp, sendBack, log: client.log, keepAge },
      goOn: { capture, retry: () => this.#retry(), usePhone: () => this.#watchPhone(false), renewCode },
    });
    this.#attention = attention;
    this.#standing = standing;
    this.#stage = stage;
    this.#clock = clock;
    this.#input = input;
    this.#kept = kept;
    this.#memory = memory;
    this.#colours = colors;
    this.#explainer = explainer;
    this.#work = work;
    this.#claiming = claiming;
  }

  /** Shows the session's state. */
  open(view: DeviceView): void {
    const { responseCode } = this.#parts.arrival;
    this.#session.open(view);
    if (responseCode === undefined) return;
    this.#parts.platform.dropFragment();
    // The code is only valid for the device that requested it.
    if (view.role === 'active' && !view.end) this.#proofs.finishWallet(responseCode);
  }

  #showProgress(progress: { share: number | null; unready?: boolean }): void {
    const { screen } = this.#stage.state();
    if (screen.name === 'loading')
      this.#stage.show({ name: 'loading', ...progress, ...(screen.of && { of: screen.of }) });
  }

  /** Loads models early, unless there is a quicker option or this device cannot be used. */
  #warmUp(): void {
    const { platform } = this.#parts;
    const { steps = [], proofs = [] } = this.#standing.view()?.asks ?? {};
    const hasOtherWay = this.#standing.isPhoneOnly() || this.#proofs.listUsable(proofs).length > 0;
    if (steps[0] !== 'face' || hasOtherWay || platform.savesData()) return;
    platform.after(READING_MS, () => {
      const { screen } = this.#stage.state();
      if (screen.name === 'welcome' && !screen.busy && this.#attention.isPresent()) this.#models.warmUp();
    });
  }

  #onBack(): void {
    if (this.#stage.state().dialog) this.#stage.update({ dialog: null });
    else if (!this.#stage.ended.aborted) this.#stage.update({ dialog: 'cancel' });
  }

  #capture(): void {
    this.#retryTarget = 'capture';
    this.#work.run(async (control) => {
      const plan = this.#claiming.plan() ?? (await this.#claiming.claim(control.signal, { start: true }));
      const { runCheck } = await this.#models.loadCheck();
      control.signal.throwIfAborted();
      this.#memory.forgetAtService(this.#parts.client, plan);
      const answered = await runCheck({ ...this.#createCheck(plan), kept: this.#kept, control });
      this.#session.open(answered);
    });
  }

  #createCheck(plan: DevicePlan): Omit<CheckOptions, 'control'> {
    const { client, engine, later, keepers, platform } = this.#parts;
    return {
      session: {
        client,
        plan,
        canUsePhone: this.#standing.canUsePhone(),
        timeLeftMs: this.#clock.leftMs,
        serverNow: this.#clock.serverNow,
      },
      models: { engine, load: (stage) => this.#models.load(plan, stage), isSlow: this.#models.isSlow },
      camera: {
        parts: this.#explainer.camera,
        explain: this.#explainer.untilKnown,
        collectSignals: later.collectSignals,
        attention: this.#attention,
        video: this.#input.video.wait,
      },
      person: {
        people: keepers.people,
        passkeys: keepers.passkeys,
        choose: this.#input.person.take,
        chooseDocument: this.#input.document.take,
        readPicture: later.readPicture,
      },
      light: {
        colours: this.#colours,
        note: (judgment) => {
          if ((this.#standing.view()?.debugLevel ?? 0) >= FIGURES_DEBUG_LEVEL)
            platform.note(`limen: light ${JSON.stringify(judgment)}`);
        },
      },
      platform,
      show: this.#stage.show,
    };
  }

  #watchPhone(isFollower: boolean): void {
    this.#retryTarget = 'phone';
    this.#phone.begin(isFollower);
  }

  #retry(): void {
    this.#claiming.dropPlan();
    if (this.#models.isOutOfDate() && this.#retryTarget === 'capture')
      this.#work.run((control) => this.#reload(control));
    else if (!this.#claiming.isMade()) this.#work.run(this.#session.lookAgain);
    else if (this.#retryTarget === 'phone') this.#watchPhone(false);
    else this.#capture();
  }

  /** Reloads the page once the service answers. Without a network the reload would fail. */
  async #reload({ signal }: AbortController): Promise<void> {
    const { client, platform } = this.#parts;
    this.#stage.show({ name: 'loading', share: null });
    await client.view({ signal });
    signal.throwIfAborted();
    platform.reload();
  }

  #fail(error: unknown): void {
    const failure = describeFailure(error, this.#standing.canUsePhone());
    if (failure === 'look_again') this.#work.run((control) => this.#session.lookAgain(control));
    else if (failure === 'refused') this.#work.run((control) => this.#session.lookAgain(control, 'refused'));
    else if (failure === 'claim_again') this.#giveWayOrClaim();
    else if ('giveUp' in failure) this.#giveUp(failure.giveUp, failure.known);
    else if (failure.name === 'end') this.#session.showEnd(failure);
    else this.#stage.show(failure);
  }

  #giveWayOrClaim(): void {
    const plan = this.#claiming.plan();
    // Two windows of one device that both continue would restart each other forever, so one gives
    // way.
    const isSecond = this.#lastConflictPlan !== undefined && this.#lastConflictPlan.nonce === plan?.nonce;
    this.#lastConflictPlan = plan;
    if (isSecond) {
      this.#kept.wipe();
      this.#stage.show({ name: 'stopped', why: 'elsewhere' });
    } else {
      this.#retry();
    }
  }
}
