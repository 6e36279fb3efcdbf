// Outcomes of attempts. Each is counted, forgiven and written to the audit in one transaction before it is reported.
// Handles are counted and audited by derived names, and stored nowhere.
import { createHash, createHmac } from 'node:crypto';
import type { ProbeSecret, SecretKey } from '@limen/token/keyholder';
import type { Audit, DecisionEntry } from './audit/log.ts';
import type { OpenChallenge } from './challenges.ts';
import type { Ranking } from './compare.ts';
import type { AttemptSubject, ChallengeRequest, Handle, Settlement } from './link/calls.ts';
import type { KeyHolderStore, Rows } from './store/store.ts';
import type { BudgetUse, HourlyBudgets } from './throttle/hourly-budgets.ts';
import type { CountedAttempt, CountedSubject, Throttle } from './throttle/throttle.ts';

/** A challenge that was begun. It exists only in the memory of the key-holder where it was begun, and ends with it. */
export interface BegunChallenge {
  readonly id: string;
  readonly ask: ChallengeRequest;
  readonly key: SecretKey;
  readonly endsAt: number;
  readonly attempt: AttemptState;
}

export interface AttemptState {
  readonly about: AttemptSubject;
  readonly ranking: Ranking;
  readonly folded: Map<string, ProbeSecret>;
  readonly counted: CountedAttempt;
  /** Calls about one challenge run one after another: rows count in the order in which they came. */
  queue: Promise<unknown>;
  firstRows?: number;
  answer?: { best: number | null; rows: number };
  isCounted: boolean;
  decisions: number;
  isAdopted: boolean;
}

interface RankingDecision {
  best: number | null;
  rows: number;
}

export class Outcomes {
  readonly #store;
  readonly #throttle;
  readonly #budgets;
  readonly #audit;

  constructor(options: { store: KeyHolderStore; throttle: Throttle; budgets: HourlyBudgets; audit: Audit }) {
    this.#store = options.store;
    this.#throttle = options.throttle;
    this.#budgets = options.budgets;
    this.#audit = options.audit;
  }

  /** Throws ThrottledError if a subject of the attempt is locked or has no answers left in this hour. */
  async check(rows: Rows, ask: ChallengeRequest): Promise<void> {
    await this.#throttle.check(rows, listSubjects(ask));
    await this.#budgets.check(rows, listSpendings(ask));
  }

  /** Records that an attempt is under way. Throws ThrottledError as Throttle.begin does. */
  async begin(rows: Rows, { ask, until }: OpenChallenge, id: string, person?: Handle): Promise<CountedAttempt> {
    const attempt = { id, until, subjects: listSubjects(ask, person) };
    await this.#throttle.begin(rows, attempt);
    return attempt;
  }

  async malformed(challenge: BegunChallenge): Promise<void> {
    await this.#store.transact(async (rows) => {
      await this.#throttle.refuse(rows, challenge.attempt.counted);
      await this.#write(rows, challenge, { outcome: 'malformed' });
    });
    challenge.attempt.isCounted = true;
  }

  /** Returns the seconds for which the verified person is locked, else 0. Throws ThrottledError if the hour's answers are used up. */
  async decided(challenge: BegunChallenge, decision: RankingDecision): Promise<number> {
    const { ask, attempt } = challenge;
    if (ask.purpose === 'verify') return this.#decideVerification(challenge, decision);
    const { best, rows: count } = decision;
    await this.#store.transact(async (rows) => {
      await this.#spend(rows, challenge);
      // The result of a search is counted once the person is known. The result of an enrollment is
      // never counted: the next call from that address would reveal whether the face is enrolled.
      if (ask.purpose === 'enrol') await this.#throttle.end(rows, attempt.counted);
      await this.#write(rows, challenge, { outcome: best === null ? 'no_match' : 'match', rows: count });
    });
    return 0;
  }

  async adopted(challenge: BegunChallenge, epoch: string, isNobody: boolean): Promise<void> {
    const outcome = isNobody ? 'adopted' : 'not_adopted';
    await this.#store.transact((rows) => this.#write(rows, challenge, { outcome, epoch }));
  }

  async settled(challenge: BegunChallenge, person: Handle | null): Promise<Settlement> {
    const { purpose } = challenge.ask;
    if (purpose === 'verify' || !challenge.attempt.answer) return 'settled';
    if (purpose === 'identify') return this.#settleSearch(challenge, person);
    // Ignores locks: an enrollment that finds a locked person must get the answer that a stranger gets.
    if (person !== null)
      await this.#store.transact((rows) => this.#write(rows, challenge, { outcome: 'settled' }, person));
    return 'settled';
  }

  /** Closes the count of a challenge that is over. A search without a match counts as refused even if it was not settled. */
  async left(rows: Rows, { ask, attempt }: BegunChallenge): Promise<void> {
    const isUnreported = attempt.answer?.best === null && !attempt.isCounted && ask.purpose === 'identify';
    if (isUnreported) await this.#throttle.refuse(rows, attempt.counted);
    else await this.#throttle.end(rows, attempt.counted);
  }

  #write(
    rows: Rows,
    { id, ask, attempt }: BegunChallenge,
    entry: Pick<DecisionEntry, 'outcome' | 'rows' | 'epoch'>,
    who?: Handle,
  ): Promise<void> {
    const { customer, purpose, sessionHandle, vouched } = ask;
    const { facts, person = who } = attempt.about;
    return this.#audit.write(rows, {
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
    // An enrollment counts once for its address, however often it is decided.
    const spendings = listSpendings(ask).filter(({ budget }) => !(isLater && budget === 'enrol_address'));
    return this.#budgets.count(rows, spendings);
  }

  /** Returns the seconds for which the person is locked or has no answers left: both look alike. Own devices are exempt. */
  async #waitFor(rows: Rows, { ask }: BegunChallenge, person: Handle): Promise<number> {
    if (isOwn(ask.vouched, person)) return 0;
    const locked = await this.#throttle.waitOf(rows, personSubject(person));
    return Math.max(locked, await this.#budgets.waitOf(rows, personSpendings(ask, person)));
  }

  async #decideVerification(challenge: BegunChallenge, { best, rows: count }: RankingDecision): Promise<number> {
    const { ask, attempt } = challenge;
    const person = attempt.about.person!;
    const wait = await this.#store.transact(async (rows) => {
      const seconds = await this.#waitFor(rows, challenge, person);
      await this.#spend(rows, challenge);
      if (seconds === 0) await this.#budgets.count(rows, personSpendings(ask, person));
      // A locked person is not locked for longer by further attempts.
      if (seconds > 0) await this.#throttle.refuse(rows, attempt.counted, 'person');
      else if (best === null) await this.#throttle.refuse(rows, attempt.counted);
      else await this.#throttle.forgive(rows, listSubjects(ask, person));
      await this.#throttle.end(rows, attempt.counted);
      const outcome = seconds > 0 ? 'locked' : best === null ? 'no_match' : 'match';
      await this.#write(rows, challenge, { outcome, rows: count });
      return seconds;
    });
    attempt.isCounted = true;
    return wait;
  }

  async #settleSearch(challenge: BegunChallenge, person: Handle | null): Promise<Settlement> {
    const { id, ask, attempt } = challenge;
    const isFound = attempt.answer!.best !== null && person !== null;
    const isLocked = await this.#store.transact(async (rows) => {
      // The lookup also runs without a match, so that its duration does not reveal a locked person.
      const locked = (await this.#waitFor(rows, challenge, person ?? id)) > 0 && isFound;
      if (isFound && !locked) {
        await this.#budgets.count(rows, personSpendings(ask, person));
        await this.#throttle.forgive(rows, listSubjects(ask, person));
      } else await this.#throttle.refuse(rows, attempt.counted);
      await this.#write(rows, challenge, { outcome: locked ? 'locked' : 'settled' }, person ?? undefined);
      return locked;
    });
    attempt.isCounted = true;
    return isLocked ? 'locked' : 'settled';
  }
}

function listSubjects({ customer, address, vouched }: ChallengeRequest, person?: string): CountedSubject[] {
  const subjects: CountedSubject[] = [
    { scope: 'address', subject: address, holds: !vouched },
    { scope: 'customer', subject: customer, holds: !vouched },
  ];
  if (person !== undefined && !isOwn(vouched, person)) subjects.push(personSubject(person));
  if (!vouched) return subjects;
  subjects.push(
    { scope: 'device', subject: countedName(vouched.device), holds: true },
    { scope: 'voucher', subject: countedName(vouched.person), holds: true },
    { scope: 'vouched_address', subject: address, holds: true },
  );
  if (!vouched.isNew) subjects.push({ scope: 'vouched_customer', subject: customer, holds: true });
  return subjects;
}

function listSpendings({ customer, address, purpose, vouched }: ChallengeRequest): BudgetUse[] {
  if (purpose === 'enrol') {
    return [
      { budget: 'enrol', subject: customer },
      { budget: 'enrol_address', subject: address },
    ];
  }
  const spendings: BudgetUse[] = [{ budget: 'sign_in', subject: customer }];
  if (!vouched || vouched.isNew) spendings.push({ budget: 'sign_in_strangers', subject: customer });
  if (vouched) spendings.push({ budget: 'sign_in_voucher', subject: countedName(vouched.person) });
  spendings.push({ budget: vouched ? 'sign_in_vouched_address' : 'sign_in_address', subject: address });
  return spendings;
}

function personSpendings({ vouched }: ChallengeRequest, person: string): BudgetUse[] {
  return isOwn(vouched, person) ? [] : [{ budget: 'sign_in_person', subject: countedName(person) }];
}

/** People who vouch for themselves are held by device instead: an attacker who gets them locked must not keep them out. */
function isOwn(vouched: ChallengeRequest['vouched'], person: string): boolean {
  return vouched?.person === person;
}

/** Does not hold: a lock on a person shows only after the comparison, and in the same way for every face. */
function personSubject(handle: string): CountedSubject {
  return { scope: 'person', subject: countedName(handle), holds: false };
}

/** Names a handle in the audit lines of one attempt: lines can be found with the handle, and not linked without it. */
export function auditName(handle: string, challenge: string): string {
  return createHmac('sha256', handle).update(challenge).digest('base64url');
}

function countedName(handle: string): string {
  return createHash('sha256').update(`limen throttle ${handle}`).digest('base64url');
}
