// Owner and memory of a session after any sequence of claims.
import type { FacePlanStep, LogEntry } from '@limen/plan';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChannelState } from './channel-state.ts';
import {
  advanceCounter,
  behaviorOfState,
  bindDevice,
  closeChannel,
  countRefusal,
  extendLog,
  findRole,
  joinCourses,
  judgeClaim,
  keepLog,
  offerHandoff,
  takeOver,
} from './state.ts';

const plan = (text: string, servedAt = 0) => ({ text, privateKey: `key of ${text}`, servedAt });
const first = () => bindDevice({ key: 'A', counter: 1 }, plan('one'));
const offered = (state: ChannelState, digest = 'code', madeAt = 0) =>
  offerHandoff(state, {
    digest,
    madeAt,
    expiresAt: madeAt + 300_000,
    number: '42',
    choices: ['17', '42', '83'],
    began: { browser: 'Firefox', system: 'Windows' },
    carries: [],
    sealedAtEntry: 0,
  });
const handedOn = () => takeOver(offered(first()), { key: 'B', counter: 1 }, plan('two', 5_000), 5_000);

describe('a claim', () => {
  it('is valid for the device that has the session, with or without a code', () => {
    expect(judgeClaim(first(), 'A', undefined, 0)).toBe('holds');
    expect(judgeClaim(offered(first()), 'A', 'code', 0)).toBe('holds');
  });

  it('moves with the code until it expires', () => {
    expect(judgeClaim(offered(first()), 'B', 'code', 299_999)).toBe('takes over');
    expect(judgeClaim(offered(first()), 'B', 'code', 300_000)).toBe('code does not work');
    expect(judgeClaim(offered(first()), 'B', 'other', 0)).toBe('code does not work');
    expect(judgeClaim(first(), 'B', 'code', 0)).toBe('code does not work');
    expect(judgeClaim(offered(first()), 'B', undefined, 0)).toBe('needs a code');
  });

  it('moves once per code, and only with the newest', () => {
    expect(judgeClaim(handedOn(), 'A', 'code', 5_000)).toBe('code does not work');
    expect(judgeClaim(offered(offered(first()), 'newer'), 'B', 'code', 0)).toBe('code does not work');
  });

  it('returns to an earlier device', () => {
    const back = takeOver(offered(handedOn(), 'back', 6_000), { key: 'A', counter: 9 }, plan('three', 9_000), 9_000);
    expect([findRole(back, 'A'), findRole(back, 'B'), findRole(back, 'C')]).toEqual(['active', 'follower', 'none']);
    expect(back.handoffMs).toEqual([5_000, 3_000]);
  });

  it('is refused to a third device, with or without a code', () => {
    expect(judgeClaim(offered(handedOn()), 'C', 'code', 0)).toBe('third device');
    expect(judgeClaim(handedOn(), 'C', undefined, 0)).toBe('third device');
  });

  it('never makes more than two devices or leaves none active', () => {
    const step = fc.record({ key: fc.constantFrom('A', 'B', 'C', 'D'), offers: fc.boolean(), knows: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let state = first();
        for (const [index, { key, offers, knows }] of steps.entries()) {
          if (offers) state = offered(state, `code ${index}`, index);
          const verdict = judgeClaim(state, key, knows ? state.handoff?.digest : undefined, index);
          if (verdict === 'takes over') state = takeOver(state, { key, counter: index }, plan(`${index}`), index);
          expect(state.devices.length).toBeLessThanOrEqual(2);
          const roles = state.devices.map((device) => findRole(state, device.key));
          expect(roles.filter((role) => role === 'active').length).toBe(1);
          if (verdict === 'takes over' || verdict === 'holds') expect(findRole(state, key)).toBe('active');
        }
      }),
    );
  });
});

describe('taking over', () => {
  const log: LogEntry[] = [
    ['started', 0, 500],
    ['retried', 0, 400],
  ];

  it('starts a new log and keeps everything that counts against the session', () => {
    const before = keepLog(offered(first()), log, 100);
    const after = takeOver(before, { key: 'B', counter: 1 }, plan('two', 2_000), 2_000);
    expect(after.log).toEqual([]);
    expect(after.plan?.text).toBe('two');
    expect(behaviorOfState(after)).toMatchObject({
      logOrderBreaks: 1,
      retries: 1,
      logOverrunMs: 400,
      handoffMs: [2_000],
    });
  });
});

describe('carried steps', () => {
  const face: LogEntry[] = [
    ['started', 0, 0],
    ['shown', 0, 100],
    ['done', 0, 900],
    ['finished', 0, 1_000],
  ];
  const withFace = () => keepLog(offered(first()), face, 2_000);
  const taken = (carries: boolean) =>
    takeOver(withFace(), { key: 'B', counter: 1 }, plan('two', 5_000), 5_000, carries);
  const after = (state: ChannelState, log: LogEntry[]) => behaviorOfState(keepLog(state, log, 6_000), 8_000);

  it('count with their times and movements while in the log', () => {
    expect(after(taken(true), [['carried', 0, 10]])).toMatchObject({
      captureMs: 5_000 + 3_000,
      stepsStarted: 1,
      challengeMs: [800],
    });
  });

  it('do not count after a restart, or without carried steps', () => {
    const again: LogEntry[] = [
      ['carried', 0, 10],
      ['retried', 0, 20],
    ];
    expect(after(taken(true), again)).toMatchObject({ captureMs: 3_000, stepsStarted: 1, challengeMs: [] });
    expect(after(taken(false), [['started', 0, 10]])).toMatchObject({ captureMs: 3_000, challengeMs: [] });
  });
});

describe('counting', () => {
  it('stops at five', () => {
    let state: ChannelState | undefined = first();
    for (let times = 0; times < 5; times += 1) state = state && countRefusal(state, 'otherDeviceAttempts');
    expect(state?.counts.otherDeviceAttempts).toBe(5);
    expect(state && countRefusal(state, 'otherDeviceAttempts')).toBe(undefined);
  });

  it('keeps a counter for each device', () => {
    const state = advanceCounter(handedOn(), { key: 'A', counter: 7 });
    expect(state.devices).toEqual([
      { key: 'A', counter: 7 },
      { key: 'B', counter: 1 },
    ]);
  });
});

it('keeps the rhythm of a carried face, and measures a repeated one separately', () => {
  const face: LogEntry[] = [
    ['started', 0, 100],
    ['shown', 0, 300],
    ['done', 0, 1_300],
    ['finished', 0, 1_500],
  ];
  const reported = keepLog(offered(first()), face, 2_000);
  const { before } = takeOver(reported, { key: 'B', counter: 1 }, plan('two', 2_000), 2_000, true);
  const carried: LogEntry[] = [
    ['carried', 0, 10],
    ['started', 1, 20],
    ['finished', 1, 30],
  ];
  expect(joinCourses(before, carried, 0).rhythm).toEqual([200, 1_000]);
  const again: LogEntry[] = [...carried.slice(0, 2), ['retried', 0, 40], ['shown', 0, 50], ['done', 0, 900]];
  expect(joinCourses(before, again, 0).rhythm).toEqual([10, 850]);
});

describe('measured behavior', () => {
  it("times the capture by the server's clock, and only with an answer", () => {
    expect(behaviorOfState(first()).captureMs).toBe(null);
    expect(behaviorOfState(first(), 12_345).captureMs).toBe(12_345);
  });

  it('keeps the worst overrun of all reports', () => {
    const early = keepLog(first(), [['started', 0, 9_000]], 1_000);
    const late = keepLog(early, [['started', 0, 9_000]], 60_000);
    expect(behaviorOfState(late).logOverrunMs).toBe(7_999);
    expect(behaviorOfState(first()).logOverrunMs).toBe(0);
  });

  it('ignores a clock that was set back and keeps earlier measurements', () => {
    const served = bindDevice({ key: 'A', counter: 1 }, plan('one', 60_000));
    const late = keepLog(served, [['started', 0, 9_000]], 59_000);
    expect(behaviorOfState(late, 59_999)).toMatchObject({ captureMs: null, logOverrunMs: 0 });
    expect(behaviorOfState(late, 60_000).captureMs).toBe(0);
    const measured = keepLog(served, [['started', 0, 9_000]], 61_000);
    expect(behaviorOfState(keepLog(measured, measured.log, 1_000)).logOverrunMs).toBe(7_999);
  });

  it('counts each started step once', () => {
    const log: LogEntry[] = [
      ['started', 0, 0],
      ['retried', 0, 100],
      ['finished', 0, 200],
      ['started', 1, 300],
    ];
    expect(behaviorOfState(keepLog(first(), log, 400)).stepsStarted).toBe(2);
  });

  it('keeps nothing to decrypt after the end', () => {
    expect(JSON.stringify(closeChannel(handedOn(), 'digest'))).not.toContain('key of');
  });
});

const FACE: FacePlanStep = {
  step: 'face',
  when: 'always',
  report: 'threshold',
  ageThreshold: 18,
  challenges: ['blink', 'look_up', 'turn_left'],
  challengeMs: 15_000,
};
const KEPT: LogEntry[] = [
  ['started', 0, 500],
  ['shown', 0, 900],
  ['done', 0, 2_000],
];
const NEXT: LogEntry = ['shown', 1, 2_300];

it('continues a log, whether the report repeats old entries or not', () => {
  for (const from of [0, 1, 3]) {
    expect(extendLog({ steps: [FACE] }, KEPT, from, [...KEPT.slice(from), NEXT])).toEqual({ log: [...KEPT, NEXT] });
  }
  expect(extendLog({ steps: [FACE] }, KEPT, 0, KEPT.slice(0, 2))).toEqual({ log: KEPT });
});

it('conflicts with another course that the plan also allows', () => {
  expect(extendLog({ steps: [FACE] }, KEPT, 1, [['shown', 0, 901]])).toEqual({ conflict: true });
  expect(extendLog({ steps: [FACE] }, KEPT, 1, [['retried', 0, 700]])).toEqual({ conflict: true });
  // Longer than the stored log, and implausible after it.
  const other: LogEntry[] = [
    ['shown', 0, 600],
    ['retried', 0, 3_000],
    ['shown', 0, 3_100],
    ['done', 0, 4_000],
  ];
  expect(extendLog({ steps: [FACE] }, KEPT, 1, other)).toEqual({ conflict: true });
});

it('refuses a course that the plan rules out, whatever is stored', () => {
  expect(extendLog({ steps: [FACE] }, KEPT, 3, [['shown', 2, 2_300]])).toEqual({ misfit: { step: 0 } });
  expect(extendLog({ steps: [FACE] }, KEPT, 1, [['shown', 1, 900]])).toEqual({ misfit: { step: 0 } });
});
