// Counts refused attempts by whomever they are counted by, and locks whoever has too many; a restart forgets none.

import { FIRST_LOCK_MS, FORGIVEN_AFTER_MS, LONGEST_LOCK_MS, THROTTLE_RULES } from '../limits.ts';
import { Throttled } from '../link/calls.ts';
import type { Rows } from '../store/store.ts';
import type { Scope, ThrottleRules } from './rules.ts';

export interface CountedSubject {
  scope: Scope;
  /** A digest, or the customer's id. */
  subject: string;
  /** Whether a lock on it keeps an attempt from beginning; one that does not is only counted. */
  holds: boolean;
}

/** Where too many are under way: they end within seconds. */
const CROWDED_RETRY_SECONDS = 5;

export interface CountedAttempt {
  /** Names it among those under way: that of its challenge. */
  id: string;
  /** When it is over also where nobody says so, because whoever began it is gone; by the steady time. */
  until: number;
  subjects: readonly CountedSubject[];
}

/** Everything is part of the caller's transaction, which nobody else's comes between. */
export class Throttle {
  readonly #rules;
  readonly #longestWindowMs;
  readonly #lockOf = (rows: Rows, { scope, subject }: CountedSubject) =>
    rows.get<{ until: number; times: number }>(
      'select until, times from locks where scope = ? and subject = ?',
      ...[scope, subject],
    );
  /**
   * Returns whether concurrent attempts of the subject are limited. A subject that is only counted
   * blocks no attempts. A person is the exception: concurrent guesses must be as few as consecutive
   * ones.
   */
  readonly #mayCrowd = ({ scope, holds }: CountedSubject) => holds || scope === 'person';

  constructor(rules: ThrottleRules = THROTTLE_RULES) {
    this.#rules = rules;
    this.#longestWindowMs = Math.max(...Object.values(rules).map(({ withinMs }) => withinMs));
  }

  /** Returns for how many whole seconds it is locked; 0 if it is not. A longer lock than any is from before a change of the clock. */
  async waitOf(rows: Rows, subject: CountedSubject): Promise<number> {
    const leftMs = Math.min(((await this.#lockOf(rows, subject))?.until ?? rows.now) - rows.now, LONGEST_LOCK_MS);
    return Math.max(0, Math.ceil(leftMs / 1_000));
  }

  /** Throws Throttled when one of those that hold is locked. */
  async check(rows: Rows, subjects: readonly CountedSubject[]): Promise<void> {
    let longest = 0;
    for (const subject of subjects) {
      if (subject.holds) longest = Math.max(longest, await this.waitOf(rows, subject));
    }
    if (longest > 0) throw new Throttled(longest);
  }

  /** It is no longer under way. */
  async end(rows: Rows, { id }: CountedAttempt): Promise<void> {
    await rows.run('delete from under_way where attempt = ?', id);
  }

  /** Throws Throttled as `check` does, and when one subject has as many attempts under way as refusals left. */
  async begin(rows: Rows, { id, until, subjects }: CountedAttempt): Promise<void> {
    await this.check(rows, subjects);
    for (const subject of subjects) {
      if (this.#mayCrowd(subject) && (await this.#isCrowded(rows, subject))) throw new Throttled(CROWDED_RETRY_SECONDS);
    }
    await rows.run('delete from under_way where until <= ?', rows.steady);
    for (const { scope, subject } of subjects) {
      await rows.run(
        'insert into under_way (attempt, scope, subject, until) values (?, ?, ?, ?)',
        ...[id, scope, subject, until],
      );
    }
  }

  /** Counts it as refused for those of its subjects that have one of the scopes; it is over then. To be called once. */
  async refuse(rows: Rows, attempt: CountedAttempt, scopes?: readonly Scope[]): Promise<void> {
    await this.end(rows, attempt);
    await this.#tidy(rows);
    for (const subject of attempt.subjects) {
      if (scopes?.includes(subject.scope) ?? true) await this.#countRefusal(rows, subject);
    }
  }

  /** After a success of these: takes back what the table says, and wipes nothing. */
  async forgive(rows: Rows, subjects: readonly CountedSubject[]): Promise<void> {
    for (const subject of subjects) {
      const { forgivable, withinMs } = this.#rules[subject.scope];
      if ((await this.#refusalsOf(rows, subject, 1)) >= forgivable) continue;
      // The latest: the tries just before a success are most likely the same person's.
      await rows.run(
        'update refusals set forgiven = 1 where rowid = (select rowid from refusals where scope = ? and subject = ? and at > ? and forgiven = 0 order by at desc limit 1)',
        ...[subject.scope, subject.subject, rows.now - withinMs],
      );
    }
  }

  async #refusalsOf(rows: Rows, { scope, subject }: CountedSubject, forgiven: 0 | 1 = 0): Promise<number> {
    const found = await rows.get<{ n: number }>(
      'select count(*) as n from refusals where scope = ? and subject = ? and at > ? and forgiven = ?',
      ...[scope, subject, rows.now - this.#rules[scope].withinMs, forgiven],
    );
    return found!.n;
  }

  /** Those under way may all be refused yet; one is let through even so where a lock is over. */
  async #isCrowded(rows: Rows, subject: CountedSubject): Promise<boolean> {
    const { refusals, atOnce } = this.#rules[subject.scope];
    const left = Math.max(1, refusals - (await this.#refusalsOf(rows, subject)));
    const underWay = await rows.get<{ n: number }>(
      'select count(*) as n from under_way where scope = ? and subject = ? and until > ?',
      ...[subject.scope, subject.subject, rows.steady],
    );
    return underWay!.n >= Math.min(atOnce, left);
  }

  /** What is past is forgotten, so that the tables stay as small as the last hours were busy. */
  async #tidy(rows: Rows): Promise<void> {
    const { now } = rows;
    // A clock that was set back leaves times of the future behind; what they count must not last longer than it would.
    await rows.run('update refusals set at = ? where at > ?', now, now);
    await rows.run('update locks set until = ? where until > ?', now + LONGEST_LOCK_MS, now + LONGEST_LOCK_MS);
    await rows.run('delete from refusals where at < ?', now - this.#longestWindowMs);
    await rows.run('delete from locks where until < ?', now - FORGIVEN_AFTER_MS);
  }

  async #countRefusal(rows: Rows, subject: CountedSubject): Promise<void> {
    await rows.run(
      'insert into refusals (scope, subject, at, forgiven) values (?, ?, ?, 0)',
      ...[subject.scope, subject.subject, rows.now],
    );
    if ((await this.#refusalsOf(rows, subject)) < this.#rules[subject.scope].refusals) return;
    const times = (await this.#lockOf(rows, subject))?.times ?? 0;
    const lockMs = Math.min(FIRST_LOCK_MS * 2 ** Math.min(times, 20), LONGEST_LOCK_MS);
    await rows.run(
      'insert into locks (scope, subject, until, times) values (?, ?, ?, ?) on conflict (scope, subject) do update set until = excluded.until, times = excluded.times',
      ...[subject.scope, subject.subject, rows.now + lockMs, times + 1],
    );
  }
}
