// The page's flow: its parts, and who calls whom. What each screen allows is in course/transitions.ts.
import type { DeviceClient, DevicePlan, DeviceView } from '@limen/sdk/device';
import type { Actions, PageState } from '../course/screens.ts';
import type { FaceEngine } from '../models/face-engine.ts';
import type { Wallets } from '../wallets/wallets.ts';
import { createActions } from './actions.ts';
import { createAttention, type PageAttention } from './camera/attention.ts';
import { createExplainer, type ExplainedCamera, type Explainer } from './camera/explain-camera.ts';
import { type HeldModels, type HoldModelsOptions, holdModels } from './check/hold-models.ts';
import { type KeptFindings, keepFindings } from './check/keep-findings.ts';
import { createMemory, type PeopleMemory } from './check/recall-people.ts';
import type { CheckOptions } from './check/step-tools.ts';
import { type ColourChoice, createColourChoice } from './colour-choice.ts';
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
  /** People that this browser keeps, and the passkeys and wallets that it can ask for them. */
  keepers: Pick<CheckOptions['person'], 'people' | 'passkeys'> & { wallets: Wallets };
  platform: Platform;
  onChange(state: PageState): void;
}

/** How the page was reached, and whether it can be reached again. */
interface Arrival {
  /** The one-time code of the address, if another device handed the session on. */
  code: string | undefined;
  /** The key next to the code: it opens what that device has found. */
  boxKey: string | undefined;
  /** The code of the address, if a wallet on this device led back to it. */
  responseCode?: string | undefined;
  /** Whether the device's key is there for a page that a wallet opens: not in a frame, whose storage is its own. */
  comesBack: boolean;
}

/** Who looks at the first screen for so long reads it. */
const READING_MS = 1_000;

/** From which on the console is told of numbers, and not only of screens. */
const LEVEL_OF_FIGURES = 3;

export class LaunchPage {
  readonly actions: Actions;
  readonly #parts: PageParts;
  readonly #attention: PageAttention;
  readonly #standing: Standing;
  readonly #stage: Stage;
  readonly #clock: SessionClock;
  readonly #input: PersonInput;
  readonly #kept: KeptFindings;
  readonly #memory: PeopleMemory;
  readonly #colours: ColourChoice;
  readonly #explainer: Explainer;
  readonly #models: HeldModels;
  readonly #work: RunningWork;
  readonly #claiming: SessionClaim;
  readonly #session: OpenSession;
  readonly #proofs: Proofs;
  readonly #giveUp: GiveUp;
  readonly #phone: PhoneWatch;
  /** What another try tries again. */
  #wanted: 'capture' | 'phone' = 'capture';
  /** The plan under which another window of this device has gone on otherwise before. */
  #conflictOf: ReturnType<SessionClaim['plan']>;

  constructor(parts: PageParts) {
    this.#parts = parts;
    const { client, arrival, engine, later, keepers, platform } = parts;
    const attention = createAttention(platform);
    const standing = createStanding(platform);
    const stage = createStage({ standing, attention, platform, onChange: parts.onChange });
    const clock = createSessionClock(platform);
    // With every reply: the platform's clock stands still while the device sleeps.
    client.onView(clock.set);
    const input = createPersonInput();
    const kept = keepFindings();
    const memory = createMemory(keepers.people, () => welcome.refresh());
    const colours = createColourChoice(platform.wantsNoColours());
    const welcome: Welcome = createWelcome({
      stage,
      standing,
      clock,
      memory: memory.state,
      colours,
      waysOf: (accepted) => this.#proofs.waysOf(accepted),
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
      offers: { welcome, explainer, memory, colours, proofs: this.#proofs },
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
    this.#colours = colours;
    this.#explainer = explainer;
    this.#work = work;
    this.#claiming = claiming;
  }

  /** Shows where the session stands. */
  open(view: DeviceView): void {
    const { responseCode } = this.#parts.arrival;
    this.#session.open(view);
    if (responseCode === undefined) return;
    this.#parts.platform.dropFragment();
    // The code is good for the device that asked for it, and worth nothing for anyone else who was sent here.
    if (view.role === 'active' && !view.end) this.#proofs.finishWallet(responseCode);
  }

  #showProgress(progress: { share: number | null; unready?: boolean }): void {
    const { screen } = this.#stage.state();
    if (screen.name === 'loading')
      this.#stage.show({ name: 'loading', ...progress, ...(screen.of && { of: screen.of }) });
  }

  /** Not for people who have a quicker way, or none here; and not for programs that open links, which do not stay. */
  #warmUp(): void {
    const { platform } = this.#parts;
    const { steps = [], proofs = [] } = this.#standing.view()?.asks ?? {};
    const hasOtherWay = this.#standing.isPhoneOnly() || this.#proofs.waysOf(proofs).length > 0;
    if (steps[0] !== 'face' || hasOtherWay || platform.savesData()) return;
    platform.after(READING_MS, () => {
      const { screen } = this.#stage.state();
      if (screen.name === 'welcome' && !screen.busy && this.#attention.isThere()) this.#models.warmUp();
    });
  }

  #onBack(): void {
    if (this.#stage.state().dialog) this.#stage.update({ dialog: null });
    else if (!this.#stage.ended.aborted) this.#stage.update({ dialog: 'cancel' });
  }

  #capture(): void {
    this.#wanted = 'capture';
    this.#work.run(async (control) => {
      const plan = this.#claiming.plan() ?? (await this.#claiming.claim(control.signal, { start: true }));
      const { runCheck } = await this.#models.bringCheck();
      control.signal.throwIfAborted();
      this.#memory.tell(this.#parts.client, plan);
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
      models: { engine, load: (stage) => this.#models.bring(plan, stage), isSlow: this.#models.isSlow },
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
        note: (judgement) => {
          if ((this.#standing.view()?.debugLevel ?? 0) >= LEVEL_OF_FIGURES)
            platform.note(`limen: light ${JSON.stringify(judgement)}`);
        },
      },
      platform,
      show: this.#stage.show,
    };
  }

  #watchPhone(isFollower: boolean): void {
    this.#wanted = 'phone';
    this.#phone.begin(isFollower);
  }

  #retry(): void {
    this.#claiming.dropPlan();
    if (this.#models.isOutOfDate() && this.#wanted === 'capture') this.#work.run((control) => this.#reload(control));
    else if (!this.#claiming.isMade()) this.#work.run(this.#session.lookAgain);
    else if (this.#wanted === 'phone') this.#watchPhone(false);
    else this.#capture();
  }

  /** Only where the service answers: without a network there would be no page at all. */
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
    // Two windows of one device that both go on would restart each other forever: one gives way.
    const isSecond = this.#conflictOf !== undefined && this.#conflictOf.nonce === plan?.nonce;
    this.#conflictOf = plan;
    if (isSecond) {
      this.#kept.wipe();
      this.#stage.show({ name: 'stopped', why: 'elsewhere' });
    } else {
      this.#retry();
    }
  }
}
