// The reference clock against a system clock that jumps, sleeps and starts wrong.
import { describe, expect, it } from 'vitest';
import { createReferenceClock, MAX_STOPPED_MS } from './reference-clock.ts';

const START = Date.UTC(2026, 5, 1);
const HOUR = 3_600_000;
const MONTH = 30 * 24 * HOUR;

interface Begin {
  ahead?: number;
  lastHeartbeat?: number;
  /** Time since the last heartbeat, by the machine's monotonic count */
  passedMs?: number;
  newestTime?: number;
}

/** Starts a service on a machine whose clock can be set. */
function startMachine({ ahead = 0, lastHeartbeat, passedMs, newestTime }: Begin = {}) {
  const times = { system: START + ahead, monotonic: 5_000, boot: 100_000 };
  const clock = createReferenceClock({
    system: { now: () => times.system },
    monotonic: () => times.monotonic,
    stopwatch: () => {
      const begun = times.boot;
      return () => times.boot - begun;
    },
  });
  let heartbeat = lastHeartbeat;
  return {
    clock,
    pass(ms: number) {
      times.system += ms;
      times.monotonic += ms;
      times.boot += ms;
    },
    sleep(ms: number) {
      times.system += ms;
      times.boot += ms;
    },
    set(byMs: number) {
      times.system += byMs;
    },
    confirm(at: number) {
      heartbeat = at;
    },
    beat(databaseAheadMs?: number) {
      const last = heartbeat === undefined ? undefined : { at: heartbeat, passedMs };
      heartbeat = clock.compare({ databaseAheadMs, lastHeartbeat: last, newestTime }) ?? heartbeat;
      return clock.fault();
    },
  };
}

it('is wrong until it was compared, then follows the system clock', () => {
  const { clock, beat, pass } = startMachine();
  expect(clock.fault()).toEqual({ kind: 'not compared', offsetMs: 0 });
  expect(beat()).toBeUndefined();
  pass(HOUR);
  expect(clock.now()).toBe(START + HOUR);
});

describe('with a database that has a clock', () => {
  it("follows the database's clock, and is wrong while they are more than 30 s apart", () => {
    const { clock, beat, set } = startMachine({ ahead: MONTH });
    expect(beat(-MONTH)).toEqual({ kind: 'apart', offsetMs: MONTH });
    expect(clock.now()).toBe(START);
    set(-MONTH - 31_000);
    expect(beat(31_000)).toEqual({ kind: 'apart', offsetMs: -31_000 });
    expect(clock.now()).toBe(START);
    set(1_000);
    expect(beat(30_000)).toBeUndefined();
    expect(clock.now()).toBe(START);
  });

  it('ignores small differences', () => {
    const { clock, beat } = startMachine();
    beat(200);
    expect(clock.now()).toBe(START);
    beat(400);
    beat(500);
    expect(clock.now()).toBe(START + 400);
  });

  it('ignores a jump of its own clock, and is wrong before the next heartbeat', () => {
    const { clock, beat, set } = startMachine();
    beat(0);
    set(2 * HOUR);
    expect(clock.now()).toBe(START);
    expect(clock.fault()).toEqual({ kind: 'apart', offsetMs: 2 * HOUR });
    set(-2 * HOUR);
    expect(clock.fault()).toBeUndefined();
  });

  it.each([2 * HOUR, MONTH])('continues without both clocks if they jump by %i ms, as on one machine', (jump) => {
    const { clock, beat, set, pass, confirm } = startMachine();
    beat(0);
    set(jump);
    pass(1_000);
    expect([beat(0), clock.now()]).toEqual([{ kind: 'jumped', offsetMs: jump }, START + 1_000]);
    pass(HOUR);
    expect([beat(0), clock.now()]).toEqual([{ kind: 'jumped', offsetMs: jump }, START + HOUR + 1_000]);
    // Set by hand, or by another process whose time was always right.
    confirm(START + HOUR + jump);
    expect([beat(0), clock.now()]).toEqual([undefined, START + HOUR + jump + 1_000]);
  });

  it('is right again once both clocks are set back', () => {
    const { clock, beat, set } = startMachine();
    beat(0);
    set(2 * HOUR);
    expect(beat(0)).toBeDefined();
    set(-2 * HOUR);
    expect([beat(0), clock.now()]).toEqual([undefined, START]);
  });

  it('does not follow a database whose clock jumps ahead, and reports the difference', () => {
    const { clock, beat } = startMachine();
    beat(0);
    expect([beat(10 * 24 * HOUR), clock.now()]).toEqual([{ kind: 'apart', offsetMs: -10 * 24 * HOUR }, START]);
    expect(beat(0)).toBeUndefined();
  });
});

describe('without a second clock', () => {
  it.each([31_000, -31_000, MONTH, -MONTH])('continues without a clock that jumped by %i ms', (jump) => {
    const { clock, beat, set, pass } = startMachine();
    beat();
    set(jump);
    pass(1_000);
    expect([clock.now(), beat()]).toEqual([START + 1_000, { kind: 'jumped', offsetMs: jump }]);
    pass(HOUR);
    expect([clock.now(), beat()]).toEqual([START + HOUR + 1_000, { kind: 'jumped', offsetMs: jump }]);
    set(-jump);
    expect([beat(), clock.now()]).toEqual([undefined, START + HOUR + 1_000]);
  });

  it('adopts a step of less than 30 s at the next heartbeat', () => {
    const { clock, beat, set } = startMachine();
    beat();
    set(29_000);
    expect(clock.now()).toBe(START);
    expect([beat(), clock.now()]).toEqual([undefined, START + 29_000]);
  });

  it('is right after the machine slept', () => {
    const { clock, beat, sleep } = startMachine();
    beat();
    sleep(MONTH);
    expect([clock.now(), clock.fault()]).toEqual([START + MONTH, undefined]);
    expect(beat()).toBeUndefined();
  });

  it.each([
    [-60_000, undefined],
    [-60_001, { kind: 'stopped', offsetMs: -60_001 }],
    [MAX_STOPPED_MS, undefined],
    [MAX_STOPPED_MS + 1, { kind: 'stopped', offsetMs: MAX_STOPPED_MS + 1 }],
  ])('judges a start %i ms after the last heartbeat', (gap, fault) => {
    expect(startMachine({ lastHeartbeat: START - gap }).beat()).toEqual(fault);
  });

  it.each([
    [2 * HOUR, 2 * HOUR, undefined],
    [2 * MONTH, 2 * MONTH, undefined],
    [2 * HOUR + 60_000, 2 * HOUR, undefined],
    [2 * HOUR + 60_001, 2 * HOUR, { kind: 'jumped', offsetMs: 60_001 }],
    [2 * HOUR, 2 * HOUR + 60_001, { kind: 'jumped', offsetMs: -60_001 }],
  ])('judges a start %i ms after the last heartbeat on a machine that counted %i ms', (gap, passedMs, fault) => {
    const { beat, clock } = startMachine({ lastHeartbeat: START - gap, passedMs });
    expect(beat()).toEqual(fault);
    expect(clock.now()).toBe(fault ? START - gap + passedMs : START);
  });

  it('is not made right by a restart after a jump', () => {
    const { beat, set, clock } = startMachine({ ahead: 48 * HOUR, lastHeartbeat: START, passedMs: 0 });
    expect([beat(), clock.now()]).toEqual([{ kind: 'jumped', offsetMs: 48 * HOUR }, START]);
    set(-48 * HOUR);
    expect([beat(), clock.now()]).toEqual([undefined, START]);
  });

  it.each([
    [MAX_STOPPED_MS, undefined],
    [MAX_STOPPED_MS + 1, { kind: 'stopped', offsetMs: MAX_STOPPED_MS + 1 }],
    [-60_001, { kind: 'stopped', offsetMs: -60_001 }],
  ])('judges a first start %i ms after the newest row', (gap, fault) => {
    expect(startMachine({ newestTime: START - gap }).beat()).toEqual(fault);
  });

  it('recovers from a wrong start once the clock is set', () => {
    const { beat, set, pass, clock } = startMachine({ ahead: -MONTH, lastHeartbeat: START - HOUR });
    expect(beat()).toMatchObject({ kind: 'stopped' });
    pass(10_000);
    set(MONTH);
    expect([beat(), clock.now()]).toEqual([undefined, START + 10_000]);
  });

  it.each(['start', 'jump', 'jump, before the next heartbeat'])(
    'follows a clock that was confirmed after a %s',
    (how) => {
      const { beat, set, pass, clock, confirm } = startMachine(how === 'start' ? { lastHeartbeat: START - MONTH } : {});
      beat();
      if (how !== 'start') set(MONTH);
      const now = how === 'start' ? START : START + MONTH;
      if (how === 'jump') expect(beat()).toBeDefined();
      confirm(now + 5_000);
      pass(9_000);
      expect([beat(), clock.now()]).toEqual([undefined, now + 9_000]);
      pass(HOUR);
      expect(beat()).toBeUndefined();
    },
  );

  it("does not accept another time's heartbeat as confirmation", () => {
    const { beat, set, confirm } = startMachine();
    beat();
    set(MONTH);
    beat();
    confirm(START + 10_000);
    expect(beat()).toMatchObject({ kind: 'jumped' });
  });
});
