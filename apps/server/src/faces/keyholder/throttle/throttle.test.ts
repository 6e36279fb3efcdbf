// The throttle: limits per subject, growing locks, and resistance to restarts and clock changes.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestStore, withFile } from '#testing/faces/file-store.ts';
import { makeFolder } from '#testing/faces/folder.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { type Scope, type ScopeRule, THROTTLE_RULES } from '../limits.ts';
import { ThrottledError } from '../link/calls.ts';
import type { KeyHolderStore } from '../store/store.ts';
import { type CountedSubject, Throttle } from './throttle.ts';

const MINUTE_MS = 60_000;
const folder = makeFolder();
const clock = createManualClock();
const START = clock.now();
let store: KeyHolderStore;
let throttle: ReturnType<typeof throttleOf>;
let round = 0;

/** Runs each call in its own transaction. */
function throttleOf(on: KeyHolderStore) {
  const plain = new Throttle();
  let attempts = 0;
  return {
    check: (subjects: CountedSubject[]) => on.read((rows) => plain.check(rows, subjects)),
    waitOf: (of: CountedSubject) => on.read((rows) => plain.waitOf(rows, of)),
    forgive: (subjects: CountedSubject[]) => on.transact((rows) => plain.forgive(rows, subjects)),
    async attempt(subjects: CountedSubject[]) {
      const attempt = { id: `attempt ${round}.${++attempts}`, until: clock.now() + MINUTE_MS, subjects };
      await on.transact((rows) => plain.begin(rows, attempt));
      return {
        end: () => on.transact((rows) => plain.end(rows, attempt)),
        refuse: (except?: Scope) => on.transact((rows) => plain.refuse(rows, attempt, except)),
      };
    },
  };
}

beforeAll(async () => {
  store = await openTestStore(folder, { clock });
});
afterAll(() => store.close());
beforeEach(() => {
  round += 1;
  clock.advance(START - clock.now());
  throttle = throttleOf(store);
});

const subject = (scope: Scope): CountedSubject => ({ scope, subject: `${scope} of test ${round}`, holds: true });

async function refuse(scope: Scope, times = 1): Promise<void> {
  for (let time = 0; time < times; time++) await (await throttle.attempt([subject(scope)])).refuse();
}

/** Seconds until the next attempt, or 0. */
async function waitOf(scope: Scope): Promise<number> {
  try {
    await throttle.check([subject(scope)]);
    return 0;
  } catch (error) {
    if (error instanceof ThrottledError) return error.retryAfter;
    throw error;
  }
}

/** Counts of one subject or of all. */
function count(table: 'refusals' | 'locks', of = '%'): number {
  const find = `select count(*) as n from ${table} where subject like ?`;
  return withFile(folder, (db) => db.prepare(find).get(of) as { n: number }).n;
}

describe('refusals', () => {
  it.each(Object.entries(THROTTLE_RULES) as [Scope, ScopeRule][])(
    'of one %s are counted, and the last that is allowed locks it',
    async (scope, { refusals, withinMs }) => {
      await refuse(scope, refusals - 1);
      expect(await waitOf(scope)).toBe(0);
      await refuse(scope);
      expect(await waitOf(scope)).toBe(60);
      await expect(throttle.attempt([subject(scope)])).rejects.toThrow(ThrottledError);
      clock.advance(MINUTE_MS);
      expect(await waitOf(scope)).toBe(0);
      expect(withinMs).toBeGreaterThan(MINUTE_MS);
    },
  );

  it('have the documented limits', async () => {
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

  it('expire with their window', async () => {
    await refuse('device', 4);
    clock.advance(15 * MINUTE_MS);
    await refuse('device', 4);
    expect(await waitOf('device')).toBe(0);
  });

  it('double the lock each time, up to an hour', async () => {
    const waits: number[] = [];
    for (let time = 0; time < 8; time++) {
      while ((await waitOf('device')) === 0) await refuse('device');
      waits.push(await waitOf('device'));
      clock.advance((await waitOf('device')) * 1_000);
    }
    expect(waits).toEqual([60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
  });

  it('lock one device and not another', async () => {
    await refuse('device', 5);
    await expect(throttle.check([{ ...subject('device'), subject: 'another' }])).resolves.not.toThrow();
    await expect(throttle.check([{ ...subject('device'), scope: 'person' }])).resolves.not.toThrow();
  });

  it('report the longest of several locks', async () => {
    await refuse('address', 20);
    clock.advance(30_000);
    await refuse('device', 5);
    await expect(throttle.check([subject('address'), subject('device')])).rejects.toThrow(
      expect.objectContaining({ retryAfter: 60 }),
    );
  });

  it('do not lock subjects that are only counted', async () => {
    await refuse('address', 20);
    await expect(throttle.check([{ ...subject('address'), holds: false }])).resolves.not.toThrow();
    expect(await throttle.waitOf(subject('address'))).toBe(60);
  });
});

describe('a success', () => {
  const scopes = Object.entries(THROTTLE_RULES) as [Scope, ScopeRule][];

  it.each(scopes)('of one %s allows no more guesses than the table, however often repeated', async (scope, rule) => {
    let guesses = 0;
    // Guesses and signs in as oneself in turn, like an account holder would.
    while ((await waitOf(scope)) === 0 && guesses < 2_000) {
      await refuse(scope);
      guesses += 1;
      for (let time = 0; time < 3; time++) await throttle.forgive([subject(scope)]);
    }
    expect(guesses).toBe(rule.refusals + rule.forgivable);
    expect(await waitOf(scope)).toBe(60);
  });

  it('takes back the latest refusal and keeps the length of the lock', async () => {
    await refuse('person', 9);
    await throttle.forgive([subject('person')]);
    await refuse('person');
    expect(await waitOf('person')).toBe(0);
    await refuse('person');
    expect(await waitOf('person')).toBe(60);
    clock.advance(MINUTE_MS);
    await throttle.forgive([subject('person')]);
    await refuse('person');
    expect(await waitOf('person')).toBe(120);
  });

  it('takes back refusals again after the previous window', async () => {
    const { forgivable, withinMs } = THROTTLE_RULES.person;
    for (let time = 0; time < forgivable; time++) {
      await refuse('person');
      await throttle.forgive([subject('person')]);
    }
    clock.advance(withinMs);
    await refuse('person');
    await throttle.forgive([subject('person')]);
    await refuse('person', 9);
    expect(await waitOf('person')).toBe(0);
  });
});

describe('concurrent attempts', () => {
  it('are limited per device and free their slots when they end', async () => {
    const first = await Promise.all(Array.from({ length: 5 }, () => throttle.attempt([subject('device')])));
    await expect(throttle.attempt([subject('device')])).rejects.toThrow(ThrottledError);
    await first[0]!.end();
    await first[0]!.end();
    await throttle.attempt([subject('device')]);
    await expect(throttle.attempt([subject('device')])).rejects.toThrow(ThrottledError);
  });

  it('never exceed the refusals left, so concurrency gains nothing', async () => {
    await refuse('device', 3);
    const last = [await throttle.attempt([subject('device')]), await throttle.attempt([subject('device')])];
    await expect(throttle.attempt([subject('device')])).rejects.toThrow(expect.objectContaining({ retryAfter: 5 }));
    for (const attempt of last) await attempt.refuse();
    expect(await waitOf('device')).toBe(60);
    clock.advance(MINUTE_MS);
    await throttle.attempt([subject('device')]);
    await expect(throttle.attempt([subject('device')])).rejects.toThrow(ThrottledError);
  });

  it('of vouched people continue when strangers have used up their share', async () => {
    const counted = (['address', 'customer'] as const).map((scope) => ({ ...subject(scope), holds: false }));
    for (let time = 0; time < THROTTLE_RULES.customer.refusals; time++)
      await (await throttle.attempt(counted)).refuse();
    const vouched = Array.from({ length: 20 }, (_, nth) => ({
      ...subject('device'),
      subject: `device ${round}.${nth}`,
    }));
    for (const device of vouched) await expect(throttle.attempt([...counted, device])).resolves.not.toThrow();
  });

  it('are refused for some or all of their subjects, even after they ended', async () => {
    const subjects = [subject('device'), subject('customer')];
    for (let time = 0; time < 5; time++) {
      const attempt = await throttle.attempt(subjects);
      await attempt.end();
      await attempt.refuse('customer');
    }
    expect([await waitOf('device'), await waitOf('customer')]).toEqual([60, 0]);
    expect(count('refusals', subject('customer').subject)).toBe(0);
  });

  it('expire even if their process is gone', async () => {
    for (let time = 0; time < 5; time++) await throttle.attempt([subject('device')]);
    await expect(throttle.attempt([subject('device')])).rejects.toThrow(ThrottledError);
    clock.advance(MINUTE_MS);
    await throttle.attempt([subject('device')]);
  });

  it('do not count when they end without a refusal', async () => {
    for (let time = 0; time < 20; time++) await (await throttle.attempt([subject('device')])).end();
    expect(await waitOf('device')).toBe(0);
  });
});

describe('stored state', () => {
  it('survives a restart', async () => {
    await refuse('device', 5);
    await refuse('person', 9);
    await store.close();
    store = await openTestStore(folder, { clock });
    throttle = throttleOf(store);
    expect(await waitOf('device')).toBe(60);
    await refuse('person');
    expect(await waitOf('person')).toBe(60);
  });

  it('is shared with another process on the same folder', async () => {
    const other = await openTestStore(folder, { clock });
    await refuse('device', 5);
    await expect(throttleOf(other).check([subject('device')])).rejects.toThrow(ThrottledError);
    await other.close();
  });

  it('lasts at most an hour when the clock is set back', async () => {
    await refuse('device', 5);
    clock.advance(-30 * 86_400_000);
    expect(await waitOf('device')).toBe(3_600);
    await refuse('person', 10);
    expect(await waitOf('person')).toBe(60);
    clock.advance(60 * MINUTE_MS);
    expect(await waitOf('device')).toBe(0);
  });

  it('is removed once expired', async () => {
    await refuse('device', 5);
    clock.advance(26 * 60 * MINUTE_MS);
    await refuse('address');
    expect(count('refusals')).toBe(1);
    expect(count('locks')).toBe(0);
  });
});
