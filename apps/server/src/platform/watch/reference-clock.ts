// The service's time: the system clock while it is right, and a time that goes on without it while it is wrong.
//
// A jump shows against the time since the machine was started, even if the service was stopped at the time. A clock that is wrong from
// the start of the machine shows only against another one: the database server's, or the time of the last heartbeat in the database.
// While the clock is wrong nothing is deleted or ended.

import { startStopwatch } from '../async/stopwatch.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Heartbeat } from '../database/heartbeat.ts';

/** Difference from which the system clock counts as wrong. */
export const APART_MS = 30_000;
/** Longest time without a heartbeat after which a start on another machine, or after a restart of this one, needs no confirmation. */
export const MAX_STOPPED_MS = 7 * 86_400_000;
/** Distance within which two readings of a clock count as the same time. */
export const NEAR_MS = 60_000;
/** Smaller differences from the database server are left alone: following them would make intervals inexact. */
const FOLLOWED_MS = 250;
/** Smaller steps of the system clock are followed at once. */
const STEP_MS = 1_000;

/**
 * `apart`: from the database's clock. `jumped`: against the time since the start of the machine. `stopped`: the last heartbeat is in the
 * future or too long ago.
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

export interface ReferenceClock extends Clock {
  isWrong(): boolean;
  fault(): ClockFault | undefined;
  /** Judges the system clock, at each heartbeat. Returns the heartbeat to write, or undefined if the clock is wrong. */
  compare(comparison: Comparison): number | undefined;
}

interface Tuning {
  system?: Clock;
  monotonic?: () => number;
  /** Milliseconds since its call, including the time that the machine slept. */
  stopwatch?: () => () => number;
}

/** Judges how far a time is from where the last right one leads. A database with a clock of its own may turn it back. */
export function isTooFar(
  gapMs: number,
  { isCounted, hasDatabaseClock }: { isCounted: boolean; hasDatabaseClock: boolean },
): boolean {
  return gapMs > (isCounted ? NEAR_MS : MAX_STOPPED_MS) || (!hasDatabaseClock && gapMs < -NEAR_MS);
}

export function createReferenceClock(tuning: Tuning = {}): ReferenceClock {
  const { system = systemClock, monotonic = () => performance.now(), stopwatch = startStopwatch } = tuning;
  /** Reference time minus the system clock. */
  let shift = 0;
  let anchor = { system: system.now(), monotonic: monotonic(), passed: stopwatch() };
  /** Last time that was found right. */
  let trusted: { at: number; passed: () => number } | undefined;
  /** Whether all time since then is counted. */
  let isCounted = false;
  let hasCompared = false;
  let databaseAhead: number | undefined;
  /** How far the time is from where the last right one leads, if that is too far. */
  let heldMs: number | undefined;
  /** The last heartbeat that this clock has seen or asked to write. Another one shortly before now is a confirmation. */
  let known: number | undefined;

  const clock: ReferenceClock = {
    now: () => readSystem() + shift,
    isWrong: () => clock.fault() !== undefined,
    fault() {
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
    compare({ databaseAheadMs, lastHeartbeat, newestTime }) {
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
        // The time goes on by the count, if there is one. Otherwise a start has no better time.
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

  /** A machine that slept has no wrong clock: the stopwatch counts that time, unlike the monotonic clock. */
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
