// The service's time: the system clock while it is right, and a time that continues without it while it is wrong. While the clock is
// wrong, nothing is deleted or ended.
//
// A jump shows against the time since the start of the machine, even if the service was stopped. A clock that is wrong from the start
// shows only against the database server's clock or the last heartbeat in the database.
import { startStopwatch } from '../async/stopwatch.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Heartbeat } from '../database/heartbeat.ts';

/** Difference from which the system clock counts as wrong. */
export const APART_MS = 30_000;
/** Longest time without a heartbeat after which a start needs no confirmation, if the machine is another one or was restarted */
export const MAX_STOPPED_MS = 7 * 86_400_000;
/** Distance within which two readings of a clock count as the same time. */
export const NEAR_MS = 60_000;
/** Smaller differences from the database server are left alone: following them would make intervals inexact. */
const FOLLOWED_MS = 250;
/** Smaller steps of the system clock are followed at once. */
const STEP_MS = 1_000;

/**
 * `apart`: differs from the database's clock. `jumped`: differs from the time since the start of the machine. `stopped`: the last
 * heartbeat is in the future or too long ago.
 */
export interface ClockFault {
  kind: 'not compared' | 'apart' | 'jumped' | 'stopped';
  /** System clock minus the time it should show. */
  offsetMs: number;
}

interface Comparison {
  /** Database server's clock minus the system clock; undefined if the database has no clock of its own. */
  databaseAheadMs: number | undefined;
  /** Last heartbeat in the database, by this process or another one. */
  lastHeartbeat: Heartbeat | undefined;
  /** Time of the newest row, for a database without heartbeats. */
  newestTime?: number | undefined;
}

/** Judges the distance of a time from the time that the last right one leads to. A database with its own clock may turn it back. */
export function isTooFar(
  gapMs: number,
  { isCounted, hasDatabaseClock }: { isCounted: boolean; hasDatabaseClock: boolean },
): boolean {
  return gapMs > (isCounted ? NEAR_MS : MAX_STOPPED_MS) || (!hasDatabaseClock && gapMs < -NEAR_MS);
}

/** `stopwatch` returns a function that counts the milliseconds, including the time that the machine slept. */
export function createReferenceClock({
  system = systemClock as Clock,
  monotonic = () => performance.now(),
  stopwatch = startStopwatch,
} = {}) {
  /** Reference time minus the system clock. */
  let shift = 0;
  let anchor = { system: system.now(), monotonic: monotonic(), passed: stopwatch() };
  /** Last right time */
  let trusted: { at: number; passed: () => number } | undefined;
  /** Whether all time since then was counted */
  let isCounted = false;
  let hasCompared = false;
  let databaseAhead: number | undefined;
  /** Distance from the time that the last right one leads to, if that is too far */
  let heldMs: number | undefined;
  /** Last heartbeat that this clock has seen or returned. Another one shortly before now is a confirmation. */
  let known: number | undefined;

  const clock = {
    now: () => readSystem() + shift,
    isWrong: (): boolean => clock.fault() !== undefined,
    fault(): ClockFault | undefined {
      if (!hasCompared) return { kind: 'not compared', offsetMs: 0 };
      if (heldMs !== undefined) {
        if (databaseAhead !== undefined && Math.abs(databaseAhead) > APART_MS)
          return { kind: 'apart', offsetMs: -databaseAhead };
        return { kind: isCounted ? 'jumped' : 'stopped', offsetMs: heldMs };
      }
      readSystem();
      if (Math.abs(shift) <= APART_MS) return undefined;
      return { kind: databaseAhead === undefined ? 'jumped' : 'apart', offsetMs: -shift };
    },
    /** Judges the system clock at each heartbeat. Returns the heartbeat to write, or undefined if the clock is wrong. */
    compare({ databaseAheadMs, lastHeartbeat, newestTime }: Comparison): number | undefined {
      const now = readSystem();
      moveAnchor(now, monotonic());
      databaseAhead = databaseAheadMs;
      const at = lastHeartbeat?.at;
      if (!hasCompared)
        startFrom(lastHeartbeat ?? (newestTime === undefined ? undefined : { at: newestTime, passedMs: undefined }));
      const wanted = databaseAheadMs === undefined ? keepJump() : follow(databaseAheadMs);
      const confirmed = databaseAheadMs === undefined ? 0 : wanted;
      const isConfirmed =
        hasCompared &&
        at !== undefined &&
        at !== known &&
        at <= now + confirmed + STEP_MS &&
        at >= now + confirmed - NEAR_MS;
      const gap = trusted ? now + wanted - trusted.at - trusted.passed() : 0;
      if (isConfirmed || !isTooFar(gap, { isCounted, hasDatabaseClock: databaseAheadMs !== undefined })) {
        shift = isConfirmed ? confirmed : wanted;
        heldMs = undefined;
        trusted = { at: now + shift, passed: stopwatch() };
        isCounted = true;
      } else {
        // Without a count, a start has no better time than the wanted one.
        if (isCounted) shift = Math.round(trusted!.at + trusted!.passed() - now);
        else if (!hasCompared) shift = wanted;
        heldMs = gap;
      }
      hasCompared = true;
      const isWrong = clock.isWrong();
      known = isWrong ? at : now + shift;
      return isWrong ? undefined : known;
    },
  };
  return clock;

  function startFrom(last: Heartbeat | undefined): void {
    if (last === undefined) return;
    trusted = { at: last.at + (last.passedMs ?? 0), passed: stopwatch() };
    isCounted = last.passedMs !== undefined;
  }

  function readSystem(): number {
    const [now, ticks] = [system.now(), monotonic()];
    if (Math.abs(now - anchor.system - (ticks - anchor.monotonic)) >= STEP_MS) moveAnchor(now, ticks);
    return now;
  }

  /** The stopwatch counts the time that the machine slept, unlike the monotonic clock. */
  function moveAnchor(now: number, ticks: number): void {
    const jumpedMs = now - anchor.system - anchor.passed();
    if (Math.abs(jumpedMs) >= STEP_MS) shift -= Math.round(jumpedMs);
    anchor = { system: now, monotonic: ticks, passed: stopwatch() };
  }

  /** After a wrong start a jump may be the correction. */
  function keepJump(): number {
    return heldMs !== undefined || Math.abs(shift) <= APART_MS ? 0 : shift;
  }

  function follow(databaseAheadMs: number): number {
    if (Math.abs(databaseAheadMs) < FOLLOWED_MS) return 0;
    return Math.abs(databaseAheadMs - shift) < FOLLOWED_MS ? shift : Math.round(databaseAheadMs);
  }
}
