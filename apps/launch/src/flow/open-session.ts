// Shows the state of a session: its welcome, the other device's progress, the code prompt, or its
// end.

import type { DeviceView } from '@limen/sdk/device';
import type { EndScreen } from '../course/screens.ts';
import type { FaceEngine } from '../models/face-engine.ts';
import type { PeopleMemory } from './check/recall-people.ts';
import { takeReturnCode } from './handoff/hand-back.ts';
import { askBeforeTakingOver } from './handoff/take-over.ts';
import type { PageTools } from './page-tools.ts';
import { ClaimRefusedError, describeFailure } from './session/describe-failure.ts';
import { describeEnd, type KnownEnd } from './session/describe-view.ts';
import type { SendBack } from './session/send-back.ts';
import type { Welcome } from './session/show-welcome.ts';
import type { SessionClock } from './session/watch-clock.ts';
import { untilAnswered } from './waiting/until-answered.ts';

export type OpenSession = ReturnType<typeof createOpenSession>;

interface OpenSessionOptions extends PageTools {
  clock: SessionClock;
  welcome: Welcome;
  memory: PeopleMemory;
  engine: Pick<FaceEngine, 'close'>;
  sendBack: SendBack;
  take: {
    number(signal: AbortSignal): Promise<string | null>;
    code(signal: AbortSignal): Promise<string>;
  };
  goOn: {
    /** Starts the check once this device has claimed the session. */
    capture(): void;
    followPhone(): void;
    /** Called when the first screen is shown. */
    onReading(): void;
  };
  /** Whether this browser could store an age key. */
  canKeep(): boolean;
}

export function createOpenSession(options: OpenSessionOptions) {
  const { client, platform, stage, work, standing, clock, claiming, welcome, kept, memory } = options;
  const { show } = stage;

  function take(seen: DeviceView): void {
    standing.take(seen);
    clock.set(seen);
  }

  function open(seen: DeviceView, known?: KnownEnd): void {
    take(seen);
    if (seen.end) {
      const { returnCodeTriesLeft: triesLeft } = seen.end;
      if (triesLeft) askForReturnCode(triesLeft);
      else showEnd(offerToKeep(describeEnd(seen.end, seen.asks.operation, known), options.canKeep()));
      return;
    }
    // The code is used up.
    if (seen.role === 'active') claiming.dropCode();
    const code = claiming.code();
    // Claimed by another device, and there is no code to take it over.
    const isElsewhere = seen.role === 'none' && seen.state !== 'created';
    if (code !== undefined) takeOver(code);
    else if (seen.role === 'follower') options.goOn.followPhone();
    else if (isElsewhere) show({ name: 'stopped', why: 'elsewhere' });
    else {
      welcome.show();
      options.goOn.onReading();
    }
    if (seen.asks.operation !== 'AGE') memory.load();
    clock.watch(onTick);
  }

  function onTick(isOver: boolean): void {
    if (isOver) confirmExpiry();
    welcome.refresh();
  }

  /** Asks the service whether the session has expired. Without a network it asks again later. */
  function confirmExpiry(): void {
    client.view().then(
      (seen) => {
        if (stage.ended.aborted) return;
        if (seen.end) open(seen);
        else take(seen);
      },
      () => undefined,
    );
  }

  /** Fetches the session's state and shows it. */
  async function refetchView({ signal }: Pick<AbortController, 'signal'>, known?: KnownEnd): Promise<void> {
    open(await look(options, signal), known);
  }

  /** Takes over another device's check, after the person has seen who started it. */
  function takeOver(code: string): void {
    work.run(async ({ signal }) => {
      const number = await askBeforeTakingOver({
        client,
        code,
        platform,
        choose: options.take.number,
        serverNow: clock.serverNow,
        show,
        signal,
      });
      if (number === null) throw new ClaimRefusedError('not_mine');
      await claiming.claim(signal, { number });
      options.goOn.capture();
    });
  }

  /** The person who completed the check must pass this code on to the one who started it. */
  function askForReturnCode(triesLeft: number): void {
    leave();
    work.run(async ({ signal }) => {
      open(await takeReturnCode({ client, platform, triesLeft, take: options.take.code, show, signal }));
    });
  }

  function showEnd(screen: EndScreen): void {
    work.stop();
    leave();
    options.engine.close();
    endWith(screen, options);
  }

  /** Releases everything that capturing needed. */
  function leave(): void {
    kept.wipe();
    clock.stop();
    claiming.letBackLeave();
  }

  return { open, lookAgain: refetchView, showEnd };
}

async function look({ client, platform }: PageTools, signal: AbortSignal): Promise<DeviceView> {
  const ask = () => client.view({ signal });
  return untilAnswered(ask, { platform, signal, onWaiting: () => undefined }).catch((error: unknown) => {
    // Another fetch after a refused fetch would loop.
    const isHopeless = typeof describeFailure(error, false) === 'string';
    throw isHopeless ? new Error('The session cannot be looked at', { cause: error }) : error;
  });
}

/** Removes the offer if the browser cannot create passkeys. */
function offerToKeep(screen: EndScreen, canKeep: boolean): EndScreen {
  const { keep, ...rest } = screen;
  return keep && canKeep ? screen : rest;
}

function endWith(screen: EndScreen, { stage, platform, sendBack }: OpenSessionOptions): void {
  const showAndWait = () => {
    stage.showEnd(screen);
    sendBack.later(screen);
  };
  showAndWait();
  // The host may start listening only after the end is shown.
  platform.onHost(showAndWait);
}
