// Outcomes of an attempt. Each is counted, forgiven and written to the audit in one transaction
// before it is reported.

import type { Audit, DecisionEntry } from './audit/log.ts';
import type { OpenChallenge } from './challenges.ts';
import type { ChallengeRequest, Handle, Settlement } from './link/calls.ts';
import type { KeyHolderStore, Rows } from './store/store.ts';
import {
  ALL_BUT_PERSON,
  auditName,
  type BegunChallenge,
  isOwn,
  personSpendings,
  personSubject,
  spendingsOf,
  subjectsOf,
} from './throttle/attempt.ts';
import type { HourlyBudgets } from './throttle/hourly-budgets.ts';
import type { CountedAttempt, Throttle } from './throttle/throttle.ts';

interface OutcomesOptions {
  store: KeyHolderStore;
  throttle: Throttle;
  budgets: HourlyBudgets;
  audit: Audit;
}

interface RankingDecision {
  best: number | null;
  rows: number;
}

export class Outcomes {
  readonly #options: OutcomesOptions;

  constructor(options: OutcomesOptions) {
    this.#options = options;
  }

  /** Throws Throttled if those that an attempt would count for are locked, or have had all answers of this hour. */
  async check(rows: Rows, ask: ChallengeRequest): Promise<void> {
    await this.#options.throttle.check(rows, subjectsOf(ask));
    await this.#options.budgets.check(rows, spendingsOf(ask));
  }

  /** Notes that an attempt is under way, and returns it. Throws Throttled as Throttle.begin does. */
  async begin(rows: Rows, { ask, until }: OpenChallenge, id: string, person?: Handle): Promise<CountedAttempt> {
    const attempt = { id, until, subjects: subjectsOf(ask, person) };
    await this.#options.throttle.begin(rows, attempt);
    return attempt;
  }

  async malformed(challenge: BegunChallenge): Promise<void> {
    await this.#options.store.transact(async (rows) => {
      await this.#options.throttle.refuse(rows, challenge.attempt.counted);
      await this.#write(rows, challenge, { outcome: 'malformed' });
    });
    challenge.attempt.isCounted = true;
  }

  /**
   * Returns the seconds for which the verified person is locked, else 0. The decision about a locked
   * person is not reported. Throws Throttled if the hour's answers are used up.
   */
  async decided(challenge: BegunChallenge, decision: RankingDecision): Promise<number> {
    const { ask, attempt } = challenge;
    if (ask.purpose === 'verify') return this.#decideVerification(challenge, decision);
    const { best, rows: count } = decision;
    await this.#options.store.transact(async (rows) => {
      await this.#spend(rows, challenge);
      // The result of a search is counted once the person is known. The result of an enrollment is
      // never counted: the next call from that address would reveal whether the face is enrolled.
      if (ask.purpose === 'enrol') await this.#options.throttle.end(rows, attempt.counted);
      await this.#write(rows, challenge, { outcome: best === null ? 'no_match' : 'match', rows: count });
    });
    return 0;
  }

  readonly adopted = (challenge: BegunChallenge, epoch: string, isNobody: boolean) =>
    this.#options.store.transact((rows) =>
      this.#write(rows, challenge, { outcome: isNobody ? 'adopted' : 'not_adopted', epoch }),
    );

  async settled(challenge: BegunChallenge, person: Handle | null): Promise<Settlement> {
    const { ask, attempt } = challenge;
    if (ask.purpose === 'verify' || !attempt.answer) return 'settled';
    return ask.purpose === 'enrol' ? this.#settleEnrolment(challenge, person) : this.#settleSearch(challenge, person);
  }

  /**
   * Closes the count of a challenge that is over. A search without a match counts as refused, even
   * if the service did not report it.
   */
  async left(rows: Rows, { ask, attempt }: BegunChallenge): Promise<void> {
    const isUnreported = attempt.answer?.best === null && !attempt.isCounted && ask.purpose === 'identify';
    if (isUnreported) await this.#options.throttle.refuse(rows, attempt.counted);
    else await this.#options.throttle.end(rows, attempt.counted);
  }

  #write(
    rows: Rows,
    { id, ask, attempt }: BegunChallenge,
    entry: Pick<DecisionEntry, 'outcome' | 'rows' | 'epoch'>,
    who?: Handle,
  ): Promise<void> {
    const { customer, purpose, sessionHandle, vouched } = ask;
    const { facts, person = who } = attempt.about;
    return this.#options.audit.write(rows, {
      customer,
      purpose,
      challenge: id,
      ...entry,
      ...(sessionHandle !== undefined && { session: auditName(sessionHandle, id) }),
      ...(vouched && { device: auditName(vouched.device, id) }),
      ...(person !== undefined && { person: auditName(person, id) }),
      ...(facts && { facts }),
    });
  }

  #spend(rows: Rows, { ask, attempt }: BegunChallenge): Promise<void> {
    const isLater = attempt.firstRows !== undefined;
    // However often it is decided, it is one enrolment.
    const spendings = spendingsOf(ask).filter(({ budget }) => !(isLater && budget === 'enrol_address'));
    return this.#options.budgets.count(rows, spendings);
  }

  /**
   * Seconds for which the person is locked, or for which there are no more answers about them: both look alike. Nothing of it
   * holds for the person themselves.
   */
  async #waitFor(rows: Rows, { ask }: BegunChallenge, person: Handle): Promise<number> {
    if (isOwn(ask.vouched, person)) return 0;
    let longest = await this.#options.throttle.waitOf(rows, personSubject(person));
    for (const spending of personSpendings(ask, person)) {
      longest = Math.max(longest, await this.#options.budgets.waitOf(rows, spending));
    }
    return longest;
  }

  /** Everything is known of it now. The seconds for which the person is locked. */
  async #decideVerification(challenge: BegunChallenge, { best, rows: count }: RankingDecision): Promise<number> {
    const { ask, attempt } = challenge;
    const person = attempt.about.person!;
    const wait = await this.#options.store.transact(async (rows) => {
      const seconds = await this.#waitFor(rows, challenge, person);
      await this.#spend(rows, challenge);
      if (seconds === 0) await this.#options.budgets.count(rows, personSpendings(ask, person));
      if (seconds > 0) await this.#options.throttle.refuse(rows, attempt.counted, ALL_BUT_PERSON);
      else if (best === null) await this.#options.throttle.refuse(rows, attempt.counted);
      else await this.#options.throttle.forgive(rows, subjectsOf(ask, person));
      await this.#options.throttle.end(rows, attempt.counted);
      const outcome = seconds > 0 ? 'locked' : best === null ? 'no_match' : 'match';
      await this.#write(rows, challenge, { outcome, rows: count });
      return seconds;
    });
    attempt.isCounted = true;
    return wait;
  }

  /** Ignores locks: an enrollment that finds a locked person must get the answer that a stranger gets. */
  async #settleEnrolment(challenge: BegunChallenge, person: Handle | null): Promise<Settlement> {
    if (person !== null)
      await this.#options.store.transact((rows) => this.#write(rows, challenge, { outcome: 'settled' }, person));
    return 'settled';
  }

  async #settleSearch(challenge: BegunChallenge, person: Handle | null): Promise<Settlement> {
    const { id, ask, attempt } = challenge;
    const isFound = attempt.answer!.best !== null && person !== null;
    const isLocked = await this.#options.store.transact(async (rows) => {
      // The lookup also runs without a match, so that its duration does not reveal a locked person.
      const locked = (await this.#waitFor(rows, challenge, person ?? id)) > 0 && isFound;
      if (isFound && !locked) {
        await this.#options.budgets.count(rows, personSpendings(ask, person));
        await this.#options.throttle.forgive(rows, subjectsOf(ask, person));
      } else await this.#options.throttle.refuse(rows, attempt.counted);
      await this.#write(rows, challenge, { outcome: locked ? 'locked' : 'settled' }, person ?? undefined);
      return locked;
    });
    attempt.isCounted = true;
    return isLocked ? 'locked' : 'settled';
  }
}
