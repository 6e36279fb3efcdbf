// The page's flow: which screen is shown, and what each action leads to.
import { type DeviceClient, type DevicePlan, type DeviceView, LimenError } from '@limen/sdk/device';
import { type FaceEngine, ModelLoadError, type ModelThresholds } from '../models/face-engine.ts';
import { createAttention } from './attention.ts';
import { type CancelCode, cancelCodeOf } from './cancel-code.ts';
import { ClaimRefusedError, describeFailure } from './describe-failure.ts';
import { describeEnd, timeLeftMs, toMinutes } from './describe-view.ts';
import { type FollowedPhone, followPhone } from './follow-phone.ts';
import { createLatch } from './latch.ts';
import { untilModelsReady } from './load-models.ts';
import type { Platform } from './platform.ts';
import { type CheckOptions, runCheck } from './run-check.ts';
import type { Actions, PageState, Screen, WelcomeScreen } from './screens.ts';
import { untilAnswered } from './until-answered.ts';

export interface PageParts {
  client: DeviceClient;
  /** The one-time code of the address, if another device handed the session on. */
  code: string | undefined;
  engine: FaceEngine;
  camera: CheckOptions['camera'] & { isAllowed(): Promise<boolean> };
  collectSignals: CheckOptions['collectSignals'];
  platform: Platform;
  onChange(state: PageState): void;
}

export interface LaunchPage {
  actions: Actions;
  /** Shows where the session stands. */
  open(view: DeviceView): void;
}

/** How long the end is shown before the person is taken back. What went wrong takes longer to read. */
const READ_DONE_MS = 2_500;
const READ_END_MS = 10_000;
/** Two windows of one device that both go on would restart each other for ever: one gives way. */
const CONFLICT_MS = 10_000;
const TICK_MS = 20_000;
/** The service may be a little behind the moment when the time is over. */
const EXPIRY_GRACE_MS = 1_500;
/** Why work was given up for other work; nobody is told. */
const SUPERSEDED = Symbol('superseded');

export function createPage(parts: PageParts): LaunchPage {
  const { client, engine, camera, platform } = parts;
  /** Works once. */
  let { code } = parts;
  let state: PageState = { screen: { name: 'opening' }, dialog: null };
  let view: DeviceView;
  /** On the platform's clock. */
  let expiresAt = Infinity;
  let plan: DevicePlan | undefined;
  let modelsReady: Promise<ModelThresholds> | undefined;
  let phone: FollowedPhone | undefined;
  /** Of the one thing that goes on at a time: claiming, capturing, following, cancelling. */
  let running = new AbortController();
  let hasClaimed = false;
  /** What another try tries again. */
  let wanted: 'capture' | 'phone' = 'capture';
  /** Heard once the end is shown, after which nothing begins any more. */
  const ended = new AbortController();
  /** The worker's script did not come: another page may know where it is by now. */
  let isOutOfDate = false;
  let conflictAt = -Infinity;
  const attention = createAttention(platform);
  const video = createLatch<HTMLVideoElement>();
  let letBackLeave: (() => void) | undefined;
  let stopTimer: (() => void) | undefined;

  function update(changes: Partial<PageState>): void {
    state = { ...state, ...changes };
    parts.onChange(state);
    attention.cover(state.dialog !== null);
  }

  function show(screen: Screen): void {
    if (!ended.signal.aborted) update({ screen });
  }

  /** Ends what goes on. */
  function begin(): AbortController {
    running.abort(SUPERSEDED);
    running = new AbortController();
    phone = undefined;
    return running;
  }

  function run(work: (control: AbortController) => Promise<void>): void {
    if (ended.signal.aborted) return;
    const control = begin();
    work(control).catch((error: unknown) => {
      // What was aborted says so; why is in the reason.
      const reason = control.signal.aborted ? control.signal.reason : error;
      if (reason !== SUPERSEDED) fail(reason);
    });
  }

  function fail(error: unknown): void {
    const failure = describeFailure(error, platform.isComputer());
    if (failure === 'look_again' || failure === 'refused') run((control) => lookAgain(control, failure === 'refused'));
    else if (failure === 'claim_again') giveWayOrClaim();
    else if (failure.name === 'end') showEnd(failure);
    else show(failure);
  }

  function giveWayOrClaim(): void {
    const isSecond = platform.now() - conflictAt < CONFLICT_MS;
    conflictAt = platform.now();
    if (isSecond) show({ name: 'stopped', why: 'elsewhere' });
    else actions.retry();
  }

  async function lookAgain({ signal }: AbortController, refused = false): Promise<void> {
    const look = () => client.view({ signal });
    const seen = await untilAnswered(look, { platform, signal, onWaiting: () => undefined }).catch((error: unknown) => {
      // Looking is no way out of a look that is refused: it would go round and round.
      const isHopeless = typeof describeFailure(error, false) === 'string';
      throw isHopeless ? new Error('The session cannot be looked at', { cause: error }) : error;
    });
    open(seen, refused);
  }

  function showEnd(screen: Extract<Screen, { name: 'end' }>): void {
    begin();
    ended.abort();
    stopTimer?.();
    letBackLeave?.();
    engine.close();
    const stays = screen.redirectUrl !== null && platform.isRevisited();
    update({ screen: stays ? { ...screen, stays } : screen, dialog: null });
    if (screen.redirectUrl === null) return;
    stopTimer = platform.after(screen.how === 'done' ? READ_DONE_MS : READ_END_MS, leave);
  }

  /** By itself, once, and not from a page that somebody came back to. */
  function leave(): void {
    if (!platform.isRevisited()) actions.goOn();
  }

  function showWelcome(changes: Partial<WelcomeScreen> = {}): void {
    show({
      name: 'welcome',
      ...view.asks,
      minutesLeft: toMinutes(expiresAt - platform.now()),
      resumes: view.role === 'active' && view.state === 'capturing',
      phoneOnly: isPhoneOnly(),
      canUsePhone: platform.isComputer(),
      busy: false,
      ...changes,
    });
  }

  function isPhoneOnly(): boolean {
    return platform.isComputer() && !view.enableDesktop;
  }

  function watchClock(): void {
    stopTimer?.();
    const left = expiresAt - platform.now();
    if (left <= -EXPIRY_GRACE_MS) askWhetherOver();
    if (state.screen.name === 'welcome') show({ ...state.screen, minutesLeft: toMinutes(left) });
    const wait = left > -EXPIRY_GRACE_MS ? Math.min(left + EXPIRY_GRACE_MS, TICK_MS) : TICK_MS;
    stopTimer = platform.after(wait, watchClock);
  }

  /** The service says whether the time really is over. Without a network it is asked again later. */
  function askWhetherOver(): void {
    client.view().then(
      (seen) => {
        if (ended.signal.aborted) return;
        if (seen.end) open(seen);
        else takeTime(seen);
      },
      () => undefined,
    );
  }

  function takeTime(seen: DeviceView): void {
    view = seen;
    expiresAt = platform.now() + timeLeftMs(seen);
  }

  function open(seen: DeviceView, refused = false): void {
    takeTime(seen);
    if (seen.end) {
      showEnd(describeEnd(seen.end, refused));
      return;
    }
    // Opened elsewhere, and no code to take it over with.
    const isElsewhere = seen.role === 'none' && seen.state !== 'created' && code === undefined;
    if (seen.role === 'follower' && code === undefined) watchPhone(true);
    else if (isElsewhere) show({ name: 'stopped', why: 'elsewhere' });
    else showWelcome();
    watchClock();
  }

  /** The same device gets the same plan again, and with it the log as the service has it. */
  async function claim(signal: AbortSignal): Promise<DevicePlan> {
    const claimOnce = () => client.claim(code === undefined ? { signal } : { code, signal });
    const onWaiting = (waits: boolean) => {
      if (waits) show({ name: 'working', doing: 'sending', offline: true });
    };
    try {
      plan = await untilAnswered(claimOnce, { platform, signal, onWaiting });
    } catch (error) {
      throw (error instanceof LimenError && CLAIM_REFUSALS.get(error.code)) || error;
    }
    if (code !== undefined) platform.dropFragment();
    code = undefined;
    hasClaimed = true;
    letBackLeave ??= platform.guardBack(onBack);
    return plan;
  }

  function onBack(): void {
    if (state.dialog) update({ dialog: null });
    else if (state.screen.name !== 'end') actions.askToCancel();
  }

  /** Once at a time. Asked again, the engine knows what it still has: its worker may have died since. */
  function loadModels({ steps, modelManifest }: DevicePlan): Promise<ModelThresholds> {
    if (modelsReady) return modelsReady;
    const loading = untilModelsReady({
      ...{ engine, platform, steps, manifestHash: modelManifest, signal: ended.signal },
      onProgress(progress) {
        if (state.screen.name === 'loading') show({ name: 'loading', ...progress });
      },
    });
    modelsReady = loading;
    const settle = (error?: unknown) => {
      modelsReady = undefined;
      isOutOfDate = error instanceof ModelLoadError && error.code === 'unstarted';
    };
    loading.then(() => settle(), settle);
    return loading;
  }

  function capture(): void {
    wanted = 'capture';
    run(async (control) => {
      const current = plan ?? (await claim(control.signal));
      const answered = await runCheck({
        ...{ client, plan: current, engine, camera, platform, attention, show, control },
        modelsReady: loadModels(current),
        collectSignals: parts.collectSignals,
        video: video.wait,
      });
      open(answered);
    });
  }

  /** Only where the service answers: without a network there would be no page at all. */
  async function reload({ signal }: AbortController): Promise<void> {
    show({ name: 'loading', share: null });
    await client.view({ signal });
    signal.throwIfAborted();
    platform.reload();
  }

  function watchPhone(isFollower: boolean): void {
    wanted = 'phone';
    run(async ({ signal }) => {
      if (!isFollower) await claim(signal);
      const reason = isPhoneOnly() ? 'desktop' : 'chosen';
      phone = followPhone({ ...{ client, platform, reason, isFollower, show, signal }, steps: view.asks.steps });
      open(await phone.ended);
    });
  }

  function cancel(code: CancelCode): void {
    run(async ({ signal }) => {
      const showSending = (offline: boolean) =>
        update({ screen: { name: 'working', doing: 'sending', offline, canCancel: false }, dialog: null });
      showSending(false);
      if (view.role !== 'active' && !plan) await claim(signal);
      open(await untilAnswered(() => client.cancel(code, { signal }), { platform, signal, onWaiting: showSending }));
    });
  }

  const actions: Actions = {
    start() {
      if (state.screen.name === 'welcome' && state.screen.busy) return;
      showWelcome({ busy: true });
      run(async ({ signal }) => {
        const current = await claim(signal);
        // While the person reads about the camera, the models come in.
        loadModels(current).catch(() => undefined);
        const isAllowed = await camera.isAllowed();
        signal.throwIfAborted();
        if (isAllowed) capture();
        else show({ name: 'permission', state: 'explain' });
      });
    },
    askForCamera() {
      const isAsking = state.screen.name === 'permission' && state.screen.state === 'asking';
      if (!isAsking) capture();
    },
    retry() {
      // Claimed anew, because the log may be another by now.
      plan = undefined;
      if (isOutOfDate && wanted === 'capture') run(reload);
      else if (!hasClaimed) run((control) => lookAgain(control));
      else if (wanted === 'phone') watchPhone(false);
      else capture();
    },
    usePhone() {
      if (state.screen.name === 'welcome') show({ ...state.screen, busy: true });
      watchPhone(false);
    },
    renewCode() {
      const { signal } = running;
      phone?.renewCode().catch((error: unknown) => {
        if (!signal.aborted) fail(error);
      });
    },
    goBack() {
      begin();
      showWelcome();
    },
    goOn() {
      const { screen } = state;
      if (screen.name !== 'end' || screen.redirectUrl === null) return;
      stopTimer?.();
      platform.leaveFor(screen.redirectUrl);
    },
    askToCancel() {
      if (!ended.signal.aborted) update({ dialog: 'cancel' });
    },
    confirmCancel() {
      // The second of two quick clicks would take the reason away.
      if (state.dialog === 'cancel') cancel(cancelCodeOf(state.screen));
    },
    showPrivacy: () => update({ dialog: 'privacy' }),
    closeDialog: () => update({ dialog: null }),
    attachVideo: video.set,
  };
  return { actions, open };
}

const CLAIM_REFUSALS = new Map([
  ['handoff_code_refused', new ClaimRefusedError('old_code')],
  ['third_device', new ClaimRefusedError('third_device')],
]);
