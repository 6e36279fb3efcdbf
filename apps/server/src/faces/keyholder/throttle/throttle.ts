// Counts refused attempts by subject and locks subjects with too many. The counts survive a restart.
import {
  FIRST_LOCK_MS,
  FORGIVEN_AFTER_MS,
  LONGEST_LOCK_MS,
  type Scope,
  THROTTLE_RULES,
  type ThrottleRules,
} from '../limits.ts';
import { ThrottledError } from '../link/calls.ts';
import type { RowCount, Rows } from '../store/store.ts';

export interface CountedSubject {
  scope: Scope;
  subject: string;
  /** Whether a lock on the subject blocks new attempts. Otherwise the subject is only counted. */
  holds: boolean;
}

/** Retry time while too many attempts are under way: they end within seconds. */
const CROWDED_RETRY_SECONDS = 5;

export interface CountedAttempt {
  id: string;
  /** End by the steady time, even if the caller is gone and never reports it. */
  until: number;
  subjects: readonly CountedSubject[];
}

/** Every method is part of the caller's transaction. */
export class Throttle {
  readonly #rules;
  readonly #longestWindowMs;

  constructor(rules: ThrottleRules = THROTTLE_RULES) {
    this.#rules = rules;
    this.#longestWindowMs = Math.max(...Object.values(rules).map(({ withinMs }) => withinMs));
  }

  /** Returns for how many whole seconds it is locked; 0 if it is not. Caps locks that precede a change of the clock. */
  async waitOf(rows: Rows, subject: CountedSubject): Promise<number> {
    const { until = rows.now } = (await this.#findLock(rows, subject)) ?? {};
    return Math.max(0, Math.ceil(Math.min(until - rows.now, LONGEST_LOCK_MS) / 1_000));
  }

  async check(rows: Rows, subjects: readonly CountedSubject[]): Promise<void> {
    let longest = 0;
    for (const subject of subjects) {
      if (subject.holds) longest = Math.max(longest, await this.waitOf(rows, subject));
    }
    if (longest > 0) throw new ThrottledError(longest);
  }

  async end(rows: Rows, { id }: CountedAttempt): Promise<void> {
    await rows.run`delete from under_way where attempt = ${id}`;
  }

  /** Throws ThrottledError as `check` does, and if a subject has as many attempts under way as refusals left. */
  async begin(rows: Rows, { id, until, subjects }: CountedAttempt): Promise<void> {
    await this.check(rows, subjects);
    for (const subject of subjects) {
      // A subject that is only counted blocks nothing, except a person: concurrent guesses must be as few as consecutive ones.
      const isLimited = subject.holds || subject.scope === 'person';
      if (isLimited && (await this.#isCrowded(rows, subject))) throw new ThrottledError(CROWDED_RETRY_SECONDS);
    }
    await rows.run`delete from under_way where until <= ${rows.steady}`;
    for (const { scope, subject } of subjects) {
      await rows.run`insert into under_way (attempt, scope, subject, until) values (${id}, ${scope}, ${subject}, ${until})`;
    }
  }

  /** Ends the attempt and counts a refusal for its subjects, except those of one scope. Call it once. */
  async refuse(rows: Rows, attempt: CountedAttempt, except?: Scope): Promise<void> {
    await this.end(rows, attempt);
    await this.#tidy(rows);
    for (const subject of attempt.subjects) if (subject.scope !== except) await this.#countRefusal(rows, subject);
  }

  /** Takes back one refusal of each subject after a success, as far as the rules allow. */
  async forgive(rows: Rows, subjects: readonly CountedSubject[]): Promise<void> {
    for (const subject of subjects) {
      const { forgivable, withinMs } = this.#rules[subject.scope];
      if ((await this.#countRefusals(rows, subject, 1)) >= forgivable) continue;
      // The latest refusal: attempts just before a success are most likely by the same person.
      await rows.run`update refusals set forgiven = 1 where rowid = (select rowid from refusals where scope = ${subject.scope} and subject = ${subject.subject} and at > ${rows.now - withinMs} and forgiven = 0 order by at desc limit 1)`;
    }
  }

  #findLock(rows: Rows, { scope, subject }: CountedSubject) {
    return rows.get<{
      until: number;
      times: number;
    }>`select until, times from locks where scope = ${scope} and subject = ${subject}`;
  }

  async #countRefusals(rows: Rows, { scope, subject }: CountedSubject, forgiven: 0 | 1): Promise<number> {
    const row =
      await rows.get<RowCount>`select count(*) as n from refusals where scope = ${scope} and subject = ${subject} and at > ${rows.now - this.#rules[scope].withinMs} and forgiven = ${forgiven}`;
    return row!.n;
  }

  /** Assumes that every attempt under way will be refused. One attempt passes even after a lock. */
  async #isCrowded(rows: Rows, subject: CountedSubject): Promise<boolean> {
    const { refusals, atOnce } = this.#rules[subject.scope];
    const left = Math.max(1, refusals - (await this.#countRefusals(rows, subject, 0)));
    const underWay =
      await rows.get<RowCount>`select count(*) as n from under_way where scope = ${subject.scope} and subject = ${subject.subject} and until > ${rows.steady}`;
    return underWay!.n >= Math.min(atOnce, left);
  }

  async #tidy(rows: Rows): Promise<void> {
    const { now } = rows;
    // A clock that was set back leaves times in the future; they must not count for longer than usual.
    await rows.run`update refusals set at = ${now} where at > ${now}`;
    await rows.run`update locks set until = ${now + LONGEST_LOCK_MS} where until > ${now + LONGEST_LOCK_MS}`;
    await rows.run`delete from refusals where at < ${now - this.#longestWindowMs}`;
    await rows.run`delete from locks where until < ${now - FORGIVEN_AFTER_MS}`;
  }

  async #countRefusal(rows: Rows, subject: CountedSubject): Promise<void> {
    await rows.run`insert into refusals (scope, subject, at, forgiven) values (${subject.scope}, ${subject.subject}, ${rows.now}, 0)`;
    if ((await this.#countRefusals(rows, subject, 0)) < this.#rules[subject.scope].refusals) return;
    const times = (await this.#findLock(rows, subject))?.times ?? 0;
    const lockMs = Math.min(FIRST_LOCK_MS * 2 ** Math.min(times, 20), LONGEST_LOCK_MS);
    await rows.run`insert into locks (scope, subject, until, times) values (${subject.scope}, ${subject.subject}, ${rows.now + lockMs}, ${times + 1}) on conflict (scope, subject) do update set until = excluded.until, times = excluded.times`;
  }
}
