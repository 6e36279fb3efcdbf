// The page's flow: its parts, and who calls whom. What each screen allows is in course/transitions.ts.
import type { DeviceClient, DevicePlan, DeviceView } from '@limen/sdk/device';
import type { Actions, PageState } from '../course/screens.ts';
import type { FaceEngine } from '../models/face-engine.ts';
import type { Wallets } from '../wallets/wallets.ts';
import { createActions } from './actions.ts';
import { createAttention } from './camera/attention.ts';
import { createExplainer, type ExplainedCamera } from './camera/explain-camera.ts';
import { type HoldModelsOptions, holdModels } from './check/hold-models.ts';
import { keepFindings } from './check/keep-findings.ts';
import { createMemory } from './check/recall-people.ts';
import type { CheckOptions } from './check/step-tools.ts';
import { createColourChoice } from './colour-choice.ts';
import { createPhoneWatch } from './handoff/follow-phone.ts';
import { createOpenSession } from './open-session.ts';
import type { Platform } from './platform.ts';
import { createKeepAge } from './proofs/keep-age.ts';
import { createProofs } from './proofs/show-proof.ts';
import { createClaim, type SessionClaim } from './session/claim-session.ts';
import { describeFailure } from './session/describe-failure.ts';
import { createGiveUp } from './session/give-up.ts';
import { createSendBack } from './session/send-back.ts';
import { createWelcome, type Welcome } from './session/show-welcome.ts';
import { createStanding } from './session/standing.ts';
import { createSessionClock } from './session/watch-clock.ts';
import { createStage } from './stage.ts';
import { createPersonInput } from './waiting/person-input.ts';
import { createWork } from './work.ts';

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

export interface LaunchPage {
  actions: Actions;
  /** Shows where the session stands. */
  open(view: DeviceView): void;
}

/** Who looks at the first screen for so long reads it. */
const READING_MS = 1_000;

/** From which on the console is told of numbers, and not only of screens. */
const LEVEL_OF_FIGURES = 3;

export function createPage(parts: PageParts): LaunchPage {
  const { client, arrival, engine, later, keepers, platform } = parts;
  /** What another try tries again. */
  let wanted: 'capture' | 'phone' = 'capture';
  /** The plan under which another window of this device has gone on otherwise before. */
  let conflictOf: ReturnType<SessionClaim['plan']>;
  const attention = createAttention(platform);
  const standing = createStanding(platform);
  const stage = createStage({ standing, attention, platform, onChange: parts.onChange });
  const { show } = stage;
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
    waysOf: (accepted) => proofs.waysOf(accepted),
    asksWallets: keepers.wallets.isSupported,
  });
  const explainer = createExplainer(parts.camera, show);
  const models = holdModels({
    engine,
    platform,
    loadCheck: later.loadCheck,
    signal: stage.ended,
    onProgress: showProgress,
  });
  const sendBack = createSendBack(platform);
  const work = createWork(stage.ended, fail);
  const claiming = createClaim({ client, platform, code: arrival.code, boxKey: arrival.boxKey, show, onBack });
  const tools = { client, platform, stage, work, standing, claiming, kept };
  const session = createOpenSession({
    ...tools,
    clock,
    welcome,
    memory,
    engine,
    sendBack,
    take: { number: input.number.take, code: input.returnCode.take },
    goOn: { capture, followPhone: () => watchPhone(true), onReading: warmUp },
    canKeep: keepers.passkeys.isSupported,
  });
  const { open } = session;
  const proofs = createProofs({
    ...tools,
    passkeys: keepers.passkeys,
    wallets: keepers.wallets,
    comesBack: arrival.comesBack,
    collectSignals: () => later.collectSignals(null),
    welcome: () => welcome,
    open,
  });
  const giveUp = createGiveUp({ ...tools, open });
  const phone = createPhoneWatch({ ...tools, open, fail });
  const actions = createActions({
    stage,
    work,
    input,
    offers: { welcome, explainer, memory, colours, proofs },
    session: {
      claiming,
      giveUp,
      sendBack,
      log: client.log,
      keepAge: createKeepAge({ client, passkeys: keepers.passkeys, stage }),
    },
    goOn: { capture, retry, usePhone: () => watchPhone(false), renewCode: phone.renewCode },
  });

  function showProgress(progress: { share: number | null; unready?: boolean }): void {
    const { screen } = stage.state();
    if (screen.name === 'loading') show({ name: 'loading', ...progress, ...(screen.of && { of: screen.of }) });
  }

  /** Not for whoever has a quicker way, or none here; and not for programs that open links, which do not stay. */
  function warmUp(): void {
    const { steps = [], proofs: accepted = [] } = standing.view()?.asks ?? {};
    const needsModels = steps[0] === 'face' && !standing.isPhoneOnly() && proofs.waysOf(accepted).length === 0;
    if (!needsModels || platform.savesData()) return;
    platform.after(READING_MS, () => {
      const { screen } = stage.state();
      if (screen.name === 'welcome' && !screen.busy && attention.isThere()) models.warmUp();
    });
  }

  function onBack(): void {
    if (stage.state().dialog) stage.update({ dialog: null });
    else if (!stage.ended.aborted) stage.update({ dialog: 'cancel' });
  }

  function capture(): void {
    wanted = 'capture';
    work.run(async (control) => {
      const plan = claiming.plan() ?? (await claiming.claim(control.signal, { start: true }));
      const { runCheck } = await models.bringCheck();
      control.signal.throwIfAborted();
      memory.tell(client, plan);
      const answered = await runCheck({ ...createCheck(plan), kept, control });
      open(answered);
    });
  }

  function createCheck(plan: DevicePlan): Omit<CheckOptions, 'control'> {
    return {
      session: {
        client,
        plan,
        canUsePhone: standing.canUsePhone(),
        timeLeftMs: clock.leftMs,
        serverNow: clock.serverNow,
      },
      models: { engine, load: (stage) => models.bring(plan, stage), isSlow: models.isSlow },
      camera: {
        parts: explainer.camera,
        explain: explainer.untilKnown,
        collectSignals: later.collectSignals,
        attention,
        video: input.video.wait,
      },
      person: {
        people: keepers.people,
        passkeys: keepers.passkeys,
        choose: input.person.take,
        chooseDocument: input.document.take,
        readPicture: later.readPicture,
      },
      light: {
        colours,
        note(judgement) {
          if ((standing.view()?.debugLevel ?? 0) >= LEVEL_OF_FIGURES)
            platform.note(`limen: light ${JSON.stringify(judgement)}`);
        },
      },
      platform,
      show,
    };
  }

  function watchPhone(isFollower: boolean): void {
    wanted = 'phone';
    phone.begin(isFollower);
  }

  function retry(): void {
    claiming.dropPlan();
    if (models.isOutOfDate() && wanted === 'capture') work.run(reload);
    else if (!claiming.isMade()) work.run(session.lookAgain);
    else if (wanted === 'phone') watchPhone(false);
    else capture();
  }

  /** Only where the service answers: without a network there would be no page at all. */
  async function reload({ signal }: AbortController): Promise<void> {
    show({ name: 'loading', share: null });
    await client.view({ signal });
    signal.throwIfAborted();
    platform.reload();
  }

  function fail(error: unknown): void {
    const failure = describeFailure(error, standing.canUsePhone());
    if (failure === 'look_again') work.run((control) => session.lookAgain(control));
    else if (failure === 'refused') work.run((control) => session.lookAgain(control, 'refused'));
    else if (failure === 'claim_again') giveWayOrClaim();
    else if ('giveUp' in failure) giveUp(failure.giveUp, failure.known);
    else if (failure.name === 'end') session.showEnd(failure);
    else show(failure);
  }

  function giveWayOrClaim(): void {
    const plan = claiming.plan();
    // Two windows of one device that both go on would restart each other for ever: one gives way.
    const isSecond = conflictOf !== undefined && conflictOf.nonce === plan?.nonce;
    conflictOf = plan;
    if (isSecond) {
      kept.wipe();
      show({ name: 'stopped', why: 'elsewhere' });
    } else {
      retry();
    }
  }

  /** The code is good for the device that asked for it, and for whoever else was sent here it is worth nothing. */
  function openFirst(view: DeviceView): void {
    open(view);
    if (arrival.responseCode === undefined) return;
    platform.dropFragment();
    if (view.role === 'active' && !view.end) proofs.finishWallet(arrival.responseCode);
  }

  return { actions, open: openFirst };
}
