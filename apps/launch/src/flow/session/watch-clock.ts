// The session's time, counted from the server's clock: how much is left, and whether it is over.
import type { DeviceView } from '@limen/sdk/device';
import type { Platform } from '../platform.ts';
import { timeLeftMs } from './describe-view.ts';

const TICK_MS = 20_000;
/** The service may be a little behind the moment when the time is over. */
const EXPIRY_GRACE_MS = 1_500;

export type SessionClock = ReturnType<typeof createSessionClock>;

export function createSessionClock(platform: Pick<Platform, 'now' | 'after'>) {
  /** Both on the platform's clock, which is never set. */
  let expiresAt = Number.POSITIVE_INFINITY;
  let epoch = 0;
  let stopTimer: (() => void) | undefined;

  function tick(onTick: (isOver: boolean) => void): void {
    stopTimer?.();
    const left = expiresAt - platform.now();
    onTick(left <= -EXPIRY_GRACE_MS);
    const wait = left > -EXPIRY_GRACE_MS ? Math.min(left + EXPIRY_GRACE_MS, TICK_MS) : TICK_MS;
    stopTimer = platform.after(wait, () => tick(onTick));
  }

  return {
    set(view: Pick<DeviceView, 'expiresAt' | 'serverTime'>): void {
      expiresAt = platform.now() + timeLeftMs(view);
      epoch = Date.parse(view.serverTime) - platform.now();
    },
    leftMs: (): number => expiresAt - platform.now(),
    /** The server's time, in milliseconds since 1970. */
    serverNow: (): number => epoch + platform.now(),
    /** Calls back now, every now and then, and whenever the time should be over. */
    watch: tick,
    stop: (): void => stopTimer?.(),
  };
}
