// Shows where a session stands: its welcome, the way on from another device, the code that is asked for, or its end.

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
  /** Answers of the person. */
  take: {
    number(signal: AbortSignal): Promise<string | null>;
    code(signal: AbortSignal): Promise<string>;
  };
  goOn: {
    /** Begins the check once the session is this device's. */
    capture(): void;
    followPhone(): void;
    /** The first screen is there to be read. */
    onReading(): void;
  };
  /** Whether this browser could keep something for the next time. */
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
    // Its code is used up.
    if (seen.role === 'active') claiming.dropCode();
    const code = claiming.code();
    // Opened elsewhere, and no code to take it over with.
    const isElsewhere = seen.role === 'none' && seen.state !== 'created';
    if (code !== undefined) takeOver(code);
    else if (seen.role === 'follower') options.goOn.followPhone();
    else if (isElsewhere) show({ name: 'stopped', why: 'elsewhere' });
    else {
      welcome.show();
      options.goOn.onReading();
    }
    if (seen.asks.operation !== 'AGE') memory.look();
    clock.watch(onTick);
  }

  function onTick(isOver: boolean): void {
    if (isOver) askWhetherOver();
    welcome.refresh();
  }

  /** The service says whether the time really is over. Without a network it is asked again later. */
  function askWhetherOver(): void {
    client.view().then(
      (seen) => {
        if (stage.ended.aborted) return;
        if (seen.end) open(seen);
        else take(seen);
      },
      () => undefined,
    );
  }

  /** Asks the service where the session stands. */
  async function lookAgain({ signal }: Pick<AbortController, 'signal'>, known?: KnownEnd): Promise<void> {
    open(await look(options, signal), known);
  }

  /** The other device's check, here: only after the person has seen whose it is. */
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

  /** All is done but for this: whoever began the session has to have been told by whoever ended it. */
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

  /** Nothing is captured any more. */
  function leave(): void {
    kept.wipe();
    clock.stop();
    claiming.letBackLeave();
  }

  return { open, lookAgain, showEnd };
}

async function look({ client, platform }: PageTools, signal: AbortSignal): Promise<DeviceView> {
  const ask = () => client.view({ signal });
  return untilAnswered(ask, { platform, signal, onWaiting: () => undefined }).catch((error: unknown) => {
    // Looking is no way out of a look that is refused: it would go round and round.
    const isHopeless = typeof describeFailure(error, false) === 'string';
    throw isHopeless ? new Error('The session cannot be looked at', { cause: error }) : error;
  });
}

/** A browser that makes no passkeys is not asked for one. */
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
  // A session that was over before may be shown before the host listens.
  platform.onHost(showAndWait);
}
