// Shows the code for another device and follows it live, to the end of the session.
import type { DeviceClient, DeviceView, HandoffFindings } from '@limen/sdk/device';
import type { HandoffScreen } from '../../course/screens.ts';
import type { Platform } from '../platform.ts';
import { describeProgress, timeLeftMs, toMinutes } from '../session/describe-view.ts';

export interface FollowPhoneOptions {
  client: DeviceClient;
  platform: Pick<Platform, 'now' | 'after' | 'nameDevice'>;
  reason: HandoffScreen['reason'];
  /** Already handed on, as after a reload: there is no code to show. */
  isFollower: boolean;
  /** What goes along with the code. */
  findings(): HandoffFindings | undefined;
  show(screen: HandoffScreen): void;
  signal: AbortSignal;
}

export interface FollowedPhone {
  /** The last view: the session has ended, or `signal` was heard. */
  ended: Promise<DeviceView>;
  renewCode(): Promise<void>;
}

const TICK_MS = 15_000;
/** In the others there is no code that could grow old. */
const COUNTS_DOWN: ReadonlySet<HandoffScreen['state']> = new Set(['code', 'old_code']);

export function followPhone(options: FollowPhoneOptions): FollowedPhone {
  const { client, platform, reason, isFollower, findings, show, signal } = options;
  let code: { url: string; until: number } | undefined;
  let screen: HandoffScreen = {
    name: 'handoff',
    reason,
    url: '',
    number: '',
    minutesLeft: 1,
    followed: 'waiting',
    state: isFollower ? 'following' : 'code',
    canGoBack: !isFollower && reason === 'chosen',
  };
  let stopTick: (() => void) | undefined;

  function update(changes: Partial<HandoffScreen>): void {
    screen = { ...screen, ...changes };
    if (!signal.aborted) show(screen);
  }

  function tick(): void {
    stopTick?.();
    if (signal.aborted || !code || !COUNTS_DOWN.has(screen.state)) return;
    const left = code.until - platform.now();
    if (left <= 0) {
      update({ state: 'old_code' });
    } else {
      update({ minutesLeft: toMinutes(left) });
      stopTick = platform.after(Math.min(left, TICK_MS), tick);
    }
  }

  async function renewCode(): Promise<void> {
    const { url, number, expiresAt } = await client.handoff({
      began: platform.nameDevice(),
      findings: findings(),
      signal,
    });
    // Counted from the server's own clock: the device's may be wrong.
    const { serverTime } = await client.view({ signal });
    code = { url, until: platform.now() + timeLeftMs({ expiresAt, serverTime }) };
    update({ url, number, state: 'code' });
    tick();
  }

  async function follow(): Promise<DeviceView> {
    if (isFollower) update({});
    else await renewCode();
    for await (const view of client.follow({ signal })) {
      if (view.end) return view;
      const followed = describeProgress(view);
      if (view.role === 'follower') update({ state: 'following', followed, canGoBack: false });
      else if (view.wrongNumber && screen.state === 'code') update({ state: 'other_number' });
      else if (view.handoffDeclined && screen.state === 'code') update({ state: 'declined' });
    }
    throw signal.reason;
  }

  return { ended: follow().finally(() => stopTick?.()), renewCode };
}
