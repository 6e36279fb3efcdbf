// What comes of an attempt: what is counted, forgiven and written to the audit, each in one transaction before it is told.
import type { Handle, Settlement } from '../core/keyholder/keyholder.ts';
import type { Audit, AuditEntry } from './audit/audit.ts';
import type { Challenge } from './challenges.ts';
import type { KeyHolderStore } from './store.ts';
import {
  ALL_BUT_PERSON,
  auditName,
  isOwn,
  personSpendings,
  personSubject,
  spendingsOf,
  subjectsOf,
} from './throttle/attempt-subjects.ts';
import type { HourlyBudgets } from './throttle/hourly-budgets.ts';
import type { Throttle } from './throttle/throttle.ts';

interface OutcomesOptions {
  store: KeyHolderStore;
  throttle: Throttle;
  budgets: HourlyBudgets;
  audit: Audit;
}

interface Decision {
  best: number | null;
  rows: number;
}

export interface Outcomes {
  malformed(challenge: Challenge): void;
  /** Seconds for which the person is locked who is verified: the decision is told to nobody then. Throws Throttled when the hour's answers are used up. */
  decided(challenge: Challenge, decision: Decision): number;
  adopted(challenge: Challenge, epoch: string, isNobody: boolean): void;
  settled(challenge: Challenge, person: Handle | null): Settlement;
  /** The challenge is over. A search that found nobody is refused also where the service did not say so. */
  left(challenge: Challenge): void;
}

export function createOutcomes({ store, throttle, budgets, audit }: OutcomesOptions): Outcomes {
  function write({ id, ask, attempt }: Challenge, entry: Pick<AuditEntry, 'outcome' | 'rows' | 'epoch'>, who?: Handle) {
    const { customer, purpose, sessionHandle, vouched } = ask;
    const { facts, person = who } = attempt!.about;
    audit.write({
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

  function spend({ ask, attempt }: Challenge): void {
    const isLater = attempt!.firstRows !== undefined;
    // However often it is decided, it is one enrolment.
    budgets.count(spendingsOf(ask).filter(({ budget }) => !(isLater && budget === 'enrol_address')));
  }

  /**
   * Seconds for which the person is locked, or for which there are no more answers about them: both look alike. Nothing of it
   * holds for the person themselves.
   */
  function waitFor({ ask }: Challenge, person: Handle): number {
    if (isOwn(ask.vouched, person)) return 0;
    return Math.max(throttle.waitOf(personSubject(person)), ...personSpendings(ask, person).map(budgets.waitOf));
  }

  /** Everything is known of it now. The seconds for which the person is locked. */
  function decideVerification(challenge: Challenge, { best, rows }: Decision): number {
    const { ask, attempt } = challenge;
    const person = attempt!.about.person!;
    const wait = waitFor(challenge, person);
    store.transact(() => {
      spend(challenge);
      if (wait === 0) budgets.count(personSpendings(ask, person));
      if (wait > 0) attempt!.throttle.refuse(ALL_BUT_PERSON);
      else if (best === null) attempt!.throttle.refuse();
      else throttle.forgive(subjectsOf(ask, person));
      write(challenge, { outcome: wait > 0 ? 'locked' : best === null ? 'no_match' : 'match', rows });
    });
    attempt!.throttle.end();
    return wait;
  }

  /** A lock says nothing here: an enrolment that finds somebody who is locked must be answered as one of a stranger is. */
  function settleEnrolment(challenge: Challenge, person: Handle | null): Settlement {
    if (person === null) return 'settled';
    challenge.attempt!.isSettled = true;
    write(challenge, { outcome: 'settled' }, person);
    return 'settled';
  }

  function settleSearch(challenge: Challenge, person: Handle | null): Settlement {
    const { id, ask, attempt } = challenge;
    const isFound = attempt!.answer!.best !== null && person !== null;
    // Looked up for nobody too: a person who is locked must not show by the time that this takes.
    const isLocked = waitFor(challenge, person ?? id) > 0 && isFound;
    store.transact(() => {
      attempt!.isSettled = true;
      if (isFound && !isLocked) {
        budgets.count(personSpendings(ask, person));
        throttle.forgive(subjectsOf(ask, person));
      } else attempt!.throttle.refuse();
      write(challenge, { outcome: isLocked ? 'locked' : 'settled' }, person ?? undefined);
    });
    return isLocked ? 'locked' : 'settled';
  }

  return {
    malformed(challenge) {
      store.transact(() => {
        challenge.attempt!.throttle.refuse();
        write(challenge, { outcome: 'malformed' });
      });
    },

    decided(challenge, decision) {
      const { ask, attempt } = challenge;
      if (ask.purpose === 'verify') return decideVerification(challenge, decision);
      const { best, rows } = decision;
      store.transact(() => {
        spend(challenge);
        // What a search found is counted once it is known who that is. Of an enrolment nothing more is counted, whatever it
        // found: the next call at that address would tell whether the face is enrolled.
        write(challenge, { outcome: best === null ? 'no_match' : 'match', rows });
      });
      if (ask.purpose === 'enrol') attempt!.throttle.end();
      return 0;
    },

    adopted: (challenge, epoch, isNobody) => write(challenge, { outcome: isNobody ? 'adopted' : 'not_adopted', epoch }),

    settled(challenge, person) {
      const { ask, attempt } = challenge;
      if (ask.purpose === 'verify' || !attempt!.answer) return 'settled';
      return ask.purpose === 'enrol' ? settleEnrolment(challenge, person) : settleSearch(challenge, person);
    },

    left({ ask, attempt }) {
      if (!attempt?.answer || attempt.isSettled || ask.purpose !== 'identify') return;
      if (attempt.answer.best === null) attempt.throttle.refuse();
    },
  };
}
