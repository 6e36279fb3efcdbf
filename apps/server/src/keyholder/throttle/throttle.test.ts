// The throttle: how many refusals each may have, how locks grow, and what neither a restart nor a set clock changes.
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import { Throttled } from '../../core/keyholder/keyholder.ts';
import { type KeyHolderStore, openKeyHolderStore } from '../store.ts';
import { makeFolder } from '../testing/folder.ts';
import { createThrottle, type Subject, type Throttle } from './throttle.ts';
import { type Scope, type ScopeRule, THROTTLE_RULES } from './throttle-rules.ts';

const MINUTE_MS = 60_000;
const masterKey = Buffer.alloc(32, 7);
const folder = makeFolder();
let store: KeyHolderStore = openKeyHolderStore(folder, masterKey);
let clock: ManualClock;
let throttle: Throttle;
let round = 0;

afterAll(() => store.close());
beforeEach(() => {
  round += 1;
  clock = createManualClock();
  throttle = createThrottle(store, clock);
});

const subject = (scope: Scope): Subject => ({ scope, subject: `${scope} of test ${round}`, holds: true });

function refuse(scope: Scope, times = 1): void {
  for (let time = 0; time < times; time++) throttle.attempt([subject(scope)]).refuse();
}

/** Seconds until the next attempt, or 0. */
function waitOf(scope: Scope): number {
  try {
    throttle.check([subject(scope)]);
    return 0;
  } catch (error) {
    if (error instanceof Throttled) return error.retryAfter;
    throw error;
  }
}

describe('refusals', () => {
  it.each(Object.entries(THROTTLE_RULES) as [Scope, ScopeRule][])(
    'of one %s are counted, and the last that is allowed locks it',
    (scope, { refusals, withinMs }) => {
      refuse(scope, refusals - 1);
      expect(waitOf(scope)).toBe(0);
      refuse(scope);
      expect(waitOf(scope)).toBe(60);
      expect(() => throttle.attempt([subject(scope)])).toThrow(Throttled);
      clock.advance(MINUTE_MS);
      expect(waitOf(scope)).toBe(0);
      expect(withinMs).toBeGreaterThan(MINUTE_MS);
    },
  );

  it('are the documented ones', () => {
    const rows = Object.entries(THROTTLE_RULES).map(([scope, { refusals, withinMs, atOnce, forgivable }]) =>
      [scope, refusals, withinMs / MINUTE_MS, atOnce, forgivable].join(' '),
    );
    expect(rows).toEqual([
      'address 20 15 20 0',
      'customer 600 10 600 0',
      'person 10 60 10 3',
      'device 5 15 5 2',
      'voucher 10 60 10 3',
      'vouched_address 60 15 60 0',
      'vouched_customer 1200 10 1024 0',
    ]);
  });

  it('are forgotten when their window is over', () => {
    refuse('device', 4);
    clock.advance(15 * MINUTE_MS);
    refuse('device', 4);
    expect(waitOf('device')).toBe(0);
  });

  it('double the lock each time, up to an hour', () => {
    const waits: number[] = [];
    for (let time = 0; time < 8; time++) {
      while (waitOf('device') === 0) refuse('device');
      waits.push(waitOf('device'));
      clock.advance(waitOf('device') * 1_000);
    }
    expect(waits).toEqual([60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
  });

  it('lock one device and not another', () => {
    refuse('device', 5);
    expect(() => throttle.check([{ ...subject('device'), subject: 'another' }])).not.toThrow();
    expect(() => throttle.check([{ ...subject('device'), scope: 'person' }])).not.toThrow();
  });

  it('are told by the longest lock of several', () => {
    refuse('address', 20);
    clock.advance(30_000);
    refuse('device', 5);
    expect(() => throttle.check([subject('address'), subject('device')])).toThrow(
      expect.objectContaining({ retryAfter: 60 }),
    );
  });

  it('do not lock what is only counted', () => {
    refuse('address', 20);
    expect(() => throttle.check([{ ...subject('address'), holds: false }])).not.toThrow();
    expect(throttle.waitOf(subject('address'))).toBe(60);
  });
});

describe('a success', () => {
  const scopes = Object.entries(THROTTLE_RULES) as [Scope, ScopeRule][];

  it.each(scopes)('of one %s buys no more guesses than the table says, however often it comes', (scope, rule) => {
    let guesses = 0;
    // As one with a face that is accepted would: guess, sign in as oneself, repeat.
    while (waitOf(scope) === 0 && guesses < 2_000) {
      refuse(scope);
      guesses += 1;
      for (let time = 0; time < 3; time++) throttle.forgive([subject(scope)]);
    }
    expect(guesses).toBe(rule.refusals + rule.forgivable);
    expect(waitOf(scope)).toBe(60);
  });

  it('takes back one refusal, the latest, and leaves the lock’s length alone', () => {
    refuse('person', 9);
    throttle.forgive([subject('person')]);
    refuse('person');
    expect(waitOf('person')).toBe(0);
    refuse('person');
    expect(waitOf('person')).toBe(60);
    clock.advance(MINUTE_MS);
    throttle.forgive([subject('person')]);
    refuse('person');
    expect(waitOf('person')).toBe(120);
  });

  it('takes back some again once the window of those before is over', () => {
    const { forgivable, withinMs } = THROTTLE_RULES.person;
    for (let time = 0; time < forgivable; time++) {
      refuse('person');
      throttle.forgive([subject('person')]);
    }
    clock.advance(withinMs);
    refuse('person');
    throttle.forgive([subject('person')]);
    refuse('person', 9);
    expect(waitOf('person')).toBe(0);
  });
});

describe('attempts under way', () => {
  it('are few for one device, and make room when they end', () => {
    const first = Array.from({ length: 5 }, () => throttle.attempt([subject('device')]));
    expect(() => throttle.attempt([subject('device')])).toThrow(Throttled);
    first[0]!.end();
    first[0]!.end();
    throttle.attempt([subject('device')]);
    expect(() => throttle.attempt([subject('device')])).toThrow(Throttled);
  });

  it('are never more than there are refusals left: whoever makes them all at once gains none', () => {
    refuse('device', 3);
    const last = [throttle.attempt([subject('device')]), throttle.attempt([subject('device')])];
    expect(() => throttle.attempt([subject('device')])).toThrow(expect.objectContaining({ retryAfter: 5 }));
    for (const attempt of last) attempt.refuse();
    expect(waitOf('device')).toBe(60);
    clock.advance(MINUTE_MS);
    throttle.attempt([subject('device')]);
    expect(() => throttle.attempt([subject('device')])).toThrow(Throttled);
  });

  it('of people somebody vouches for go on together while strangers have used up what is theirs', () => {
    const counted = (['address', 'customer'] as const).map((scope) => ({ ...subject(scope), holds: false }));
    for (let time = 0; time < THROTTLE_RULES.customer.refusals; time++) throttle.attempt(counted).refuse();
    const vouched = Array.from({ length: 20 }, (_, nth) => ({
      ...subject('device'),
      subject: `device ${round}.${nth}`,
    }));
    for (const device of vouched) expect(() => throttle.attempt([...counted, device])).not.toThrow();
  });

  it('are refused once, for some of their subjects or for all, also after they have ended', () => {
    const subjects = [subject('device'), subject('customer')];
    for (let time = 0; time < 5; time++) {
      const attempt = throttle.attempt(subjects);
      attempt.end();
      attempt.refuse(['device']);
      attempt.refuse();
    }
    expect([waitOf('device'), waitOf('customer')]).toEqual([60, 0]);
    const { n } = store.db
      .prepare("select count(*) as n from refusals where scope = 'customer' and subject = ?")
      .get(subject('customer').subject) as { n: number };
    expect(n).toBe(0);
  });

  it('count for nothing when they end without a refusal', () => {
    for (let time = 0; time < 20; time++) throttle.attempt([subject('device')]).end();
    expect(waitOf('device')).toBe(0);
  });
});

describe('what lasts', () => {
  it('is still known after a restart', () => {
    refuse('device', 5);
    refuse('person', 9);
    store.close();
    store = openKeyHolderStore(folder, masterKey);
    throttle = createThrottle(store, clock);
    expect(waitOf('device')).toBe(60);
    refuse('person');
    expect(waitOf('person')).toBe(60);
  });

  it('is known to another process on the same folder', () => {
    const other = openKeyHolderStore(folder, masterKey);
    refuse('device', 5);
    expect(() => createThrottle(other, clock).check([subject('device')])).toThrow(Throttled);
    other.close();
  });

  it('lasts no longer than an hour when the clock is set back', () => {
    refuse('device', 5);
    clock.advance(-30 * 86_400_000);
    expect(waitOf('device')).toBe(3_600);
    refuse('person', 10);
    expect(waitOf('person')).toBe(60);
    clock.advance(60 * MINUTE_MS);
    expect(waitOf('device')).toBe(0);
  });

  it('leaves no rows behind that are of no use any more', () => {
    refuse('device', 5);
    clock.advance(26 * 60 * MINUTE_MS);
    refuse('address');
    const count = (table: string) => (store.db.prepare(`select count(*) as n from ${table}`).get() as { n: number }).n;
    expect(count('refusals')).toBe(1);
    expect(count('locks')).toBe(0);
  });
});
