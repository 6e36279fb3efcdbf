// The page's flow: which screen is shown, and what each action leads to.
import type { DeviceClient, DevicePlan, DeviceView } from '@limen/sdk/device';
import type { Actions, HandoffScreen, PageState, Screen, WelcomeScreen } from '../course/screens.ts';
import { guardActions } from '../course/transitions.ts';
import { hasFailedTry } from '../course/tries.ts';
import type { FaceEngine } from '../models/face-engine.ts';
import type { DocumentChoice } from '../steps/document-step.ts';
import { createAttention } from './camera/attention.ts';
import { createExplainer, type ExplainedCamera } from './camera/explain-camera.ts';
import { holdModels } from './check/hold-models.ts';
import { keepFindings } from './check/keep-findings.ts';
import { createMemory } from './check/recall-people.ts';
import { runCheck } from './check/run-check.ts';
import type { PersonChoice } from './check/run-person-steps.ts';
import type { CheckOptions } from './check/run-steps.ts';
import type { Platform } from './platform.ts';
import { type CancelCode, cancelCodeOf } from './session/cancel-code.ts';
import { packFindings } from './session/carry-findings.ts';
import { createClaim } from './session/claim-session.ts';
import { ClaimRefusedError, describeFailure } from './session/describe-failure.ts';
import { describeEnd, type KnownEnd, toMinutes } from './session/describe-view.ts';
import { type FollowedPhone, followPhone } from './session/follow-phone.ts';
import { takeReturnCode } from './session/hand-back.ts';
import { createSendBack } from './session/send-back.ts';
import { askBeforeTakingOver } from './session/take-over.ts';
import { createConsoleTeller } from './session/tell-console.ts';
import { createSessionClock } from './session/watch-clock.ts';
import { createInbox } from './waiting/inbox.ts';
import { createLatch } from './waiting/latch.ts';
import { untilAnswered } from './waiting/until-answered.ts';

export interface PageParts {
  client: DeviceClient;
  /** The one-time code of the address, if another device handed the session on. */
  code: string | undefined;
  /** Beside it: opens what that device has found. */
  boxKey: string | undefined;
  engine: FaceEngine;
  camera: ExplainedCamera;
  collectSignals: CheckOptions['collectSignals'];
  readPicture: CheckOptions['readPicture'];
  people: CheckOptions['people'];
  passkeys: CheckOptions['passkeys'];
  platform: Platform;
  onChange(state: PageState): void;
}

export interface LaunchPage {
  actions: Actions;
  /** Shows where the session stands. */
  open(view: DeviceView): void;
}

/** Two windows of one device that both go on would restart each other for ever: one gives way. */
const CONFLICT_MS = 10_000;
/** Why work was given up for other work; nobody is told. */
const SUPERSEDED = Symbol('superseded');

export function createPage(parts: PageParts): LaunchPage {
  const { client, engine, platform } = parts;
  let state: PageState = { screen: { name: 'opening' }, dialog: null, asks: null };
  let view: DeviceView | undefined;
  let plan: DevicePlan | undefined;
  let phone: FollowedPhone | undefined;
  /** Of the one thing that goes on at a time: claiming, capturing, following, cancelling. */
  let running = new AbortController();
  /** What another try tries again. */
  let wanted: 'capture' | 'phone' = 'capture';
  /** Heard once the end is shown, after which nothing begins any more. */
  const ended = new AbortController();
  let conflictAt = -Infinity;
  const attention = createAttention(platform);
  const video = createLatch<HTMLVideoElement>();
  const choices = createInbox<DocumentChoice>();
  const personChoices = createInbox<PersonChoice>();
  const numbers = createInbox<string | null>();
  const returnCodes = createInbox<string>();
  const tellConsole = createConsoleTeller(platform);
  const memory = createMemory(parts.people, () => {
    if (state.screen.name === 'welcome') show({ ...state.screen, memory: memory.state() });
  });
  const kept = keepFindings();
  const explainer = createExplainer(parts.camera, show);
  const clock = createSessionClock(platform);
  // With every reply: the platform's clock stands still while the device sleeps.
  client.onView(clock.set);
  const claiming = createClaim({ client, platform, code: parts.code, boxKey: parts.boxKey, show, onBack });
  const models = holdModels({
    ...{ engine, platform, signal: ended.signal },
    onProgress(progress) {
      const { screen } = state;
      if (screen.name === 'loading') show({ name: 'loading', ...progress, ...(screen.of && { of: screen.of }) });
    },
  });
  const sendBack = createSendBack(platform);

  function update(changes: Partial<PageState>): void {
    state = { ...state, ...changes };
    parts.onChange(state);
    tellConsole(state.screen, view?.debugLevel ?? 0);
    attention.cover(state.dialog !== null);
  }

  function show(screen: Screen): void {
    if (ended.signal.aborted) return;
    const staysHere = screen.name === 'permission' && view?.handoff === 'refused';
    update({ screen: staysHere ? { ...screen, staysHere } : screen });
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
    const failure = describeFailure(error, canUsePhone());
    if (failure === 'look_again') run(lookAgain);
    else if (failure === 'refused') run((control) => lookAgain(control, 'refused'));
    else if (failure === 'claim_again') giveWayOrClaim();
    else if ('giveUp' in failure) cancel(failure.giveUp, failure.known);
    else if (failure.name === 'end') showEnd(failure);
    else show(failure);
  }

  function giveWayOrClaim(): void {
    const isSecond = platform.now() - conflictAt < CONFLICT_MS;
    conflictAt = platform.now();
    if (isSecond) {
      kept.wipe();
      show({ name: 'stopped', why: 'elsewhere' });
    } else {
      actions.retry();
    }
  }

  async function lookAgain({ signal }: AbortController, known?: KnownEnd): Promise<void> {
    const look = () => client.view({ signal });
    const seen = await untilAnswered(look, { platform, signal, onWaiting: () => undefined }).catch((error: unknown) => {
      // Looking is no way out of a look that is refused: it would go round and round.
      const isHopeless = typeof describeFailure(error, false) === 'string';
      throw isHopeless ? new Error('The session cannot be looked at', { cause: error }) : error;
    });
    open(seen, known);
  }

  function showEnd(screen: Extract<Screen, { name: 'end' }>): void {
    begin();
    ended.abort();
    kept.wipe();
    clock.stop();
    claiming.letBackLeave();
    engine.close();
    const stays = screen.redirectUrl !== null && platform.isRevisited();
    update({ screen: stays ? { ...screen, stays } : screen, dialog: null });
    sendBack.later(screen);
  }

  function showWelcome(changes: Partial<WelcomeScreen> = {}): void {
    if (!view) return;
    const { asks } = view;
    show({
      name: 'welcome',
      ...asks,
      minutesLeft: toMinutes(clock.leftMs()),
      resumes: view.role === 'active' && view.state === 'capturing',
      phoneOnly: isPhoneOnly(),
      canUsePhone: canUsePhone(),
      busy: false,
      memory: asks.operation === 'AGE' ? 'none' : memory.state(),
      ...changes,
    });
  }

  function isPhoneOnly(): boolean {
    return platform.isComputer() && !view?.enableDesktop;
  }

  function canUsePhone(): boolean {
    return platform.isComputer() && view?.handoff !== 'refused';
  }

  function onTick(isOver: boolean): void {
    if (isOver) askWhetherOver();
    if (state.screen.name === 'welcome') show({ ...state.screen, minutesLeft: toMinutes(clock.leftMs()) });
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
    clock.set(seen);
    state = { ...state, asks: seen.asks };
  }

  function open(seen: DeviceView, known?: KnownEnd): void {
    takeTime(seen);
    if (seen.end) {
      if (seen.end.returnCodeTriesLeft) askForReturnCode(seen.end.returnCodeTriesLeft);
      else showEnd(describeEnd(seen.end, seen.asks.operation, known));
      return;
    }
    // Its code is used up.
    if (seen.role === 'active') claiming.dropCode();
    const code = claiming.code();
    // Opened elsewhere, and no code to take it over with.
    const isElsewhere = seen.role === 'none' && seen.state !== 'created';
    if (code !== undefined) takeOver(code);
    else if (seen.role === 'follower') watchPhone(true);
    else if (isElsewhere) show({ name: 'stopped', why: 'elsewhere' });
    else showWelcome();
    if (seen.asks.operation !== 'AGE') memory.look();
    clock.watch(onTick);
  }

  async function claim(signal: AbortSignal, number?: string): Promise<DevicePlan> {
    plan = await claiming.claim(signal, number);
    return plan;
  }

  /** The other device's check, here: only after the person has seen whose it is. */
  function takeOver(code: string): void {
    run(async ({ signal }) => {
      const { serverNow } = clock;
      const number = await askBeforeTakingOver({
        client,
        code,
        platform,
        choose: numbers.take,
        serverNow,
        show,
        signal,
      });
      if (number === null) throw new ClaimRefusedError('not_mine');
      await claim(signal, number);
      capture();
    });
  }

  /** All is done but for this: whoever began the session has to have been told by whoever ended it. */
  function askForReturnCode(triesLeft: number): void {
    kept.wipe();
    clock.stop();
    claiming.letBackLeave();
    run(async ({ signal }) => {
      open(await takeReturnCode({ client, platform, triesLeft, take: returnCodes.take, show, signal }));
    });
  }

  function onBack(): void {
    if (state.dialog) update({ dialog: null });
    else if (state.screen.name !== 'end') actions.askToCancel();
  }

  function capture(): void {
    wanted = 'capture';
    run(async (control) => {
      const current = plan ?? (await claim(control.signal));
      memory.tell(client, current);
      const answered = await runCheck({
        ...{ client, plan: current, kept, engine, platform, attention, show, control },
        ...{ camera: explainer.camera, explainCamera: explainer.untilKnown },
        ...{ collectSignals: parts.collectSignals, readPicture: parts.readPicture },
        ...{ people: parts.people, passkeys: parts.passkeys, choosePerson: personChoices.take },
        ...{ canUsePhone: canUsePhone(), timeLeftMs: clock.leftMs },
        ...{ video: video.wait, chooseDocument: choices.take, serverNow: clock.serverNow },
        loadModels: (step) => models.bring(current, step),
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
      const current = isFollower ? undefined : await claim(signal);
      const reason = isPhoneOnly() ? 'desktop' : 'chosen';
      const findings = () => current && packFindings(current, kept.of(current, client.log()));
      const showPhone = (screen: HandoffScreen) => {
        // What it needs of this went along, and it finds the rest itself.
        if (screen.state === 'following') kept.wipe();
        show(screen);
      };
      phone = followPhone({ ...{ client, platform, reason, isFollower, findings, signal }, show: showPhone });
      open(await phone.ended);
    });
  }

  function cancel(code: CancelCode, known?: KnownEnd): void {
    kept.wipe();
    run(async ({ signal }) => {
      const showSending = (offline: boolean) =>
        update({ screen: { name: 'working', doing: 'sending', offline, canCancel: false }, dialog: null });
      showSending(false);
      if (view?.role !== 'active' && !plan) await claim(signal);
      const give = () => client.cancel(code, { signal });
      open(await untilAnswered(give, { platform, signal, onWaiting: showSending }), known);
    });
  }

  const actions: Actions = {
    start() {
      showWelcome({ busy: true });
      plan = undefined;
      capture();
    },
    askForCamera() {
      const { screen } = state;
      if (screen.name === 'permission' && screen.state === 'explain') explainer.goOn();
      else if (screen.name === 'permission' && screen.document) choices.put({ choice: 'camera' });
      else capture();
    },
    retry() {
      // Claimed anew, because the log may be another by now.
      plan = undefined;
      if (models.isOutOfDate() && wanted === 'capture') run(reload);
      else if (!claiming.isMade()) run(lookAgain);
      else if (wanted === 'phone') watchPhone(false);
      else capture();
    },
    chooseDocument: (kind) => choices.put({ choice: 'kind', kind }),
    otherDocument: () => choices.put({ choice: 'other' }),
    scanDocument: () => choices.put({ choice: 'camera' }),
    useDocumentFile: (file) => choices.put({ choice: 'file', file }),
    tryDocumentAgain: () => choices.put({ choice: 'again' }),
    showFaceAgain: () => personChoices.put({ choice: 'face' }),
    usePasskey: () => personChoices.put({ choice: 'passkey' }),
    giveContact: (typed) => personChoices.put({ choice: 'contact', typed }),
    askToForget: () => update({ dialog: 'forget' }),
    confirmForget() {
      update({ dialog: null });
      memory.forget();
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
    chooseNumber: numbers.put,
    giveReturnCode: returnCodes.put,
    goBack() {
      begin();
      showWelcome();
    },
    goOn: () => sendBack.now(state.screen),
    askToCancel() {
      if (!ended.signal.aborted) update({ dialog: 'cancel' });
    },
    confirmCancel: () => cancel(cancelCodeOf(state.screen, hasFailedTry(plan?.steps ?? [], client.log()))),
    showPrivacy: () => update({ dialog: 'privacy' }),
    closeDialog: () => update({ dialog: null }),
    attachVideo: video.set,
  };
  return { actions: guardActions(actions, () => state), open };
}
