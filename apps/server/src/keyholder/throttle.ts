// Counts refused attempts by device, address, person and customer, and locks whoever has too many; a restart forgets none.
import { Throttled } from '../core/keyholder/keyholder.ts';
import type { Clock } from '../platform/clock.ts';
import type { KeyHolderStore } from './store.ts';

export type Scope = 'device' | 'address' | 'person' | 'customer';

export interface Subject {
  scope: Scope;
  /** A digest, or the customer's id. */
  subject: string;
}

export interface ThrottleLimit {
  refusals: number;
  withinMs: number;
  /** Attempts under way together: so many more tries has who makes them all at once. */
  atOnce: number;
}

export type ThrottleLimits = Readonly<Record<Scope, ThrottleLimit>>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const THROTTLE_LIMITS: ThrottleLimits = {
  device: { refusals: 5, withinMs: 15 * MINUTE_MS, atOnce: 5 },
  address: { refusals: 20, withinMs: 15 * MINUTE_MS, atOnce: 32 }, // a whole office may share one
  person: { refusals: 10, withinMs: HOUR_MS, atOnce: 10 },
  customer: { refusals: 600, withinMs: 10 * MINUTE_MS, atOnce: 1_024 },
};

/** Each refusal after the first lock doubles it. */
const FIRST_LOCK_MS = MINUTE_MS;
const LONGEST_LOCK_MS = HOUR_MS;
/** After this long without a refusal a lock begins anew at its shortest. */
const FORGIVEN_AFTER_MS = 24 * HOUR_MS;
/** Where too many are under way: they end within seconds. */
const CROWDED_RETRY_SECONDS = 5;

export interface Attempt {
  /** Counts it as refused, once, for those of its subjects that have one of the scopes; it is over then. */
  refuse(scopes?: readonly Scope[]): void;
  /** It is no longer under way. */
  end(): void;
}

export interface Throttle {
  /** Throws Throttled when one of them is locked. */
  check(subjects: readonly Subject[]): void;
  /** Throws Throttled as `check` does, and when too many attempts of one subject are under way. */
  attempt(subjects: readonly Subject[]): Attempt;
  /** After a success. */
  forgive(subjects: readonly Subject[]): void;
}

export function createThrottle(
  store: KeyHolderStore,
  clock: Clock,
  limits: ThrottleLimits = THROTTLE_LIMITS,
): Throttle {
  const { db } = store;
  const findLock = db.prepare('select until, times from locks where scope = ? and subject = ?');
  const putLock = db.prepare(
    'insert into locks (scope, subject, until, times) values (?, ?, ?, ?) on conflict do update set until = excluded.until, times = excluded.times',
  );
  const countRefusals = db.prepare('select count(*) as n from refusals where scope = ? and subject = ? and at > ?');
  const addRefusal = db.prepare('insert into refusals (scope, subject, at) values (?, ?, ?)');
  const forgetRefusals = db.prepare('delete from refusals where scope = ? and subject = ?');
  const forgetLock = db.prepare('delete from locks where scope = ? and subject = ?');
  const pruneRefusals = db.prepare('delete from refusals where at < ?');
  const pruneLocks = db.prepare('delete from locks where until < ?');
  /** A clock that was set back leaves times of the future behind; what they count must not last longer than it would. */
  const pullBackRefusals = db.prepare('update refusals set at = ? where at > ?');
  const pullBackLocks = db.prepare('update locks set until = ? where until > ?');
  const longestWindowMs = Math.max(...Object.values(limits).map(({ withinMs }) => withinMs));
  const underWay = new Map<string, number>();

  const lockOf = ({ scope, subject }: Subject) =>
    findLock.get(scope, subject) as { until: number; times: number } | undefined;
  const refusalsOf = ({ scope, subject }: Subject, now: number) =>
    (countRefusals.get(scope, subject, now - limits[scope].withinMs) as { n: number }).n;
  const keyOf = ({ scope, subject }: Subject) => `${scope} ${subject}`;

  function check(subjects: readonly Subject[]): void {
    const now = clock.now();
    // A lock that seems longer than any is of a time before the clock was set back.
    const waits = subjects.map((subject) => Math.min((lockOf(subject)?.until ?? now) - now, LONGEST_LOCK_MS));
    const longest = Math.max(...waits);
    if (longest > 0) throw new Throttled(Math.ceil(longest / 1_000));
  }

  /** What was forgiven or is past is forgotten, so that the tables stay as small as the last hours were busy. */
  function tidy(now: number): void {
    pullBackRefusals.run(now, now);
    pullBackLocks.run(now + LONGEST_LOCK_MS, now + LONGEST_LOCK_MS);
    pruneRefusals.run(now - longestWindowMs);
    pruneLocks.run(now - FORGIVEN_AFTER_MS);
  }

  function countRefusal(subject: Subject, now: number): void {
    addRefusal.run(subject.scope, subject.subject, now);
    if (refusalsOf(subject, now) < limits[subject.scope].refusals) return;
    const times = lockOf(subject)?.times ?? 0;
    const lockMs = Math.min(FIRST_LOCK_MS * 2 ** Math.min(times, 20), LONGEST_LOCK_MS);
    putLock.run(subject.scope, subject.subject, now + lockMs, times + 1);
  }

  return {
    check,
    attempt(subjects) {
      check(subjects);
      const isCrowded = subjects.some((one) => (underWay.get(keyOf(one)) ?? 0) >= limits[one.scope].atOnce);
      if (isCrowded) throw new Throttled(CROWDED_RETRY_SECONDS);
      for (const subject of subjects) underWay.set(keyOf(subject), (underWay.get(keyOf(subject)) ?? 0) + 1);
      let isOver = false;
      const end = () => {
        if (isOver) return;
        isOver = true;
        for (const subject of subjects) {
          const left = underWay.get(keyOf(subject))! - 1;
          if (left > 0) underWay.set(keyOf(subject), left);
          else underWay.delete(keyOf(subject));
        }
      };
      let isRefused = false;
      return {
        end,
        refuse(scopes) {
          if (isRefused) return;
          isRefused = true;
          end();
          store.transact(() => {
            const now = clock.now();
            tidy(now);
            for (const subject of subjects) {
              if (scopes?.includes(subject.scope) ?? true) countRefusal(subject, now);
            }
          });
        },
      };
    },
    forgive,
  };

  function forgive(subjects: readonly Subject[]): void {
    const known = subjects.filter((subject) => lockOf(subject) ?? refusalsOf(subject, clock.now()) > 0);
    if (known.length === 0) return;
    store.transact(() => {
      for (const { scope, subject } of known) {
        forgetRefusals.run(scope, subject);
        forgetLock.run(scope, subject);
      }
    });
  }
}
