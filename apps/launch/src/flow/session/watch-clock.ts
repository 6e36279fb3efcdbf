// The session's time by the server's clock: the time left and the expiry.
import type { DeviceView } from '@limen/sdk/device';
import type { Platform } from '../platform.ts';
import { timeLeftMs } from './describe-view.ts';

const TICK_MS = 20_000;
/** The service may record the expiry slightly later. */
const EXPIRY_GRACE_MS = 1_500;

export type SessionClock = ReturnType<typeof createSessionClock>;

export function createSessionClock(platform: Pick<Platform, 'now' | 'after'>) {
  /** Both on the platform's monotonic clock. */
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
    /** Milliseconds since 1970, by the server. */
    serverNow: (): number => epoch + platform.now(),
    /** Calls back now, regularly, and when the session should have expired. */
    watch: tick,
    stop: (): void => stopTimer?.(),
  };
}
