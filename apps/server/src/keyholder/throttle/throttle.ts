// Counts refused attempts by whomever they are counted by, and locks whoever has too many; a restart forgets none.
import { Throttled } from '../../core/keyholder/keyholder.ts';
import type { Clock } from '../../platform/clock.ts';
import type { KeyHolderStore } from '../store.ts';
import { type Scope, THROTTLE_RULES, type ThrottleRules } from './throttle-rules.ts';

export interface Subject {
  scope: Scope;
  /** A digest, or the customer's id. */
  subject: string;
  /** Whether a lock on it keeps an attempt from beginning; one that does not is only counted. */
  holds: boolean;
}

/** Each refusal after the first lock doubles it. */
const FIRST_LOCK_MS = 60_000;
const LONGEST_LOCK_MS = 60 * FIRST_LOCK_MS;
/** After this long without a refusal a lock begins anew at its shortest. */
const FORGIVEN_AFTER_MS = 24 * LONGEST_LOCK_MS;
/** Where too many are under way: they end within seconds. */
const CROWDED_RETRY_SECONDS = 5;

export interface Attempt {
  /** Counts it as refused, once, for those of its subjects that have one of the scopes; it is over then. */
  refuse(scopes?: readonly Scope[]): void;
  /** It is no longer under way. */
  end(): void;
}

export interface Throttle {
  /** Throws Throttled when one of those that hold is locked. */
  check(subjects: readonly Subject[]): void;
  /** Throws Throttled as `check` does, and when one subject has as many attempts under way as refusals left. */
  attempt(subjects: readonly Subject[]): Attempt;
  /** Whole seconds for which this one is locked; 0 when it is not. */
  waitOf(subject: Subject): number;
  /** After a success of these: takes back what the table says, and wipes nothing. */
  forgive(subjects: readonly Subject[]): void;
}

export function createThrottle(store: KeyHolderStore, clock: Clock, rules: ThrottleRules = THROTTLE_RULES): Throttle {
  const { db } = store;
  const findLock = db.prepare('select until, times from locks where scope = ? and subject = ?');
  const putLock = db.prepare(
    'insert into locks (scope, subject, until, times) values (?, ?, ?, ?) on conflict do update set until = excluded.until, times = excluded.times',
  );
  const countRefusals = db.prepare(
    'select count(*) as n from refusals where scope = ? and subject = ? and at > ? and forgiven = ?',
  );
  const addRefusal = db.prepare('insert into refusals (scope, subject, at, forgiven) values (?, ?, ?, 0)');
  /** The latest: the tries just before a success are most likely the same person's. */
  const takeBack = db.prepare(
    'update refusals set forgiven = 1 where rowid = (select rowid from refusals where scope = ? and subject = ? and at > ? and forgiven = 0 order by at desc limit 1)',
  );
  const pruneRefusals = db.prepare('delete from refusals where at < ?');
  const pruneLocks = db.prepare('delete from locks where until < ?');
  /** A clock that was set back leaves times of the future behind; what they count must not last longer than it would. */
  const pullBackRefusals = db.prepare('update refusals set at = ? where at > ?');
  const pullBackLocks = db.prepare('update locks set until = ? where until > ?');
  const longestWindowMs = Math.max(...Object.values(rules).map(({ withinMs }) => withinMs));
  const underWay = new Map<string, number>();

  const lockOf = ({ scope, subject }: Subject) =>
    findLock.get(scope, subject) as { until: number; times: number } | undefined;
  const refusalsOf = ({ scope, subject }: Subject, now: number, forgiven: 0 | 1 = 0) =>
    (countRefusals.get(scope, subject, now - rules[scope].withinMs, forgiven) as { n: number }).n;
  const keyOf = ({ scope, subject }: Subject) => `${scope} ${subject}`;

  /** A lock that seems longer than any is of a time before the clock was set back. */
  function waitOf(subject: Subject): number {
    const now = clock.now();
    const leftMs = Math.min((lockOf(subject)?.until ?? now) - now, LONGEST_LOCK_MS);
    return Math.max(0, Math.ceil(leftMs / 1_000));
  }

  function check(subjects: readonly Subject[]): void {
    const longest = Math.max(0, ...subjects.filter(({ holds }) => holds).map(waitOf));
    if (longest > 0) throw new Throttled(longest);
  }

  /** What is only counted keeps nobody out; but the guesses at one person are as few at once as one after the other. */
  const mayCrowd = ({ scope, holds }: Subject) => holds || scope === 'person';

  /** Those under way may all be refused yet; one is let through even so where a lock is over. */
  function isCrowded(subject: Subject, now: number): boolean {
    const { refusals, atOnce } = rules[subject.scope];
    const left = Math.max(1, refusals - refusalsOf(subject, now));
    return (underWay.get(keyOf(subject)) ?? 0) >= Math.min(atOnce, left);
  }

  /** What is past is forgotten, so that the tables stay as small as the last hours were busy. */
  function tidy(now: number): void {
    pullBackRefusals.run(now, now);
    pullBackLocks.run(now + LONGEST_LOCK_MS, now + LONGEST_LOCK_MS);
    pruneRefusals.run(now - longestWindowMs);
    pruneLocks.run(now - FORGIVEN_AFTER_MS);
  }

  function countRefusal(subject: Subject, now: number): void {
    addRefusal.run(subject.scope, subject.subject, now);
    if (refusalsOf(subject, now) < rules[subject.scope].refusals) return;
    const times = lockOf(subject)?.times ?? 0;
    const lockMs = Math.min(FIRST_LOCK_MS * 2 ** Math.min(times, 20), LONGEST_LOCK_MS);
    putLock.run(subject.scope, subject.subject, now + lockMs, times + 1);
  }

  return {
    check,
    waitOf,
    attempt(subjects) {
      check(subjects);
      const now = clock.now();
      if (subjects.some((one) => mayCrowd(one) && isCrowded(one, now))) throw new Throttled(CROWDED_RETRY_SECONDS);
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
            const at = clock.now();
            tidy(at);
            for (const subject of subjects) {
              if (scopes?.includes(subject.scope) ?? true) countRefusal(subject, at);
            }
          });
        },
      };
    },
    forgive(subjects) {
      store.transact(() => {
        const now = clock.now();
        for (const subject of subjects) {
          const { forgivable, withinMs } = rules[subject.scope];
          if (refusalsOf(subject, now, 1) >= forgivable) continue;
          takeBack.run(subject.scope, subject.subject, now - withinMs);
        }
      });
    },
  };
}
