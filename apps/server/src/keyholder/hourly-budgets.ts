// Counts what may be had so often in an hour: answers about a customer's tokens, and enrolments through one address.
import { Throttled } from '../core/keyholder/keyholder.ts';
import type { Clock } from '../platform/clock.ts';
import type { Audit } from './audit.ts';
import type { KeyHolderStore } from './store.ts';

/**
 * Rows that a service forges tell it a little with each answer, so these are counted for each customer; those to enrolments apart
 * from those to sign-ins, so that neither can use up the other's. An address has enrolments of its own.
 */
export type Budget = 'sign_in' | 'enrol' | 'enrol_address';

export type BudgetsPerHour = Readonly<Record<Budget, number>>;

export const DEFAULT_BUDGETS: BudgetsPerHour = { sign_in: 3_600, enrol: 1_200, enrol_address: 120 };
const HOUR_MS = 3_600_000;

export interface HourlyBudgets {
  /** Throws Throttled when the subject has had all of this hour. */
  check(budget: Budget, subject: string): void;
  /** One more; throws as `check` does. Part of the transaction in which the answer is written down. */
  count(budget: Budget, subject: string): void;
}

interface HourlyBudgetsOptions {
  store: KeyHolderStore;
  audit: Audit;
  clock: Clock;
  perHour: BudgetsPerHour;
  warn: (sentence: string) => void;
}

export function createHourlyBudgets({ store, audit, clock, perHour, warn }: HourlyBudgetsOptions): HourlyBudgets {
  const { db } = store;
  const find = db.prepare('select count from budgets where budget = ? and subject = ? and hour = ?');
  const add = db.prepare(
    'insert into budgets (budget, subject, hour, count) values (?, ?, ?, 1) on conflict do update set count = count + 1',
  );
  const forget = db.prepare('delete from budgets where hour <> ?');
  const hourOf = () => Math.floor(clock.now() / HOUR_MS);
  const countOf = (budget: Budget, subject: string, hour: number) =>
    (find.get(budget, subject, hour) as { count: number } | undefined)?.count ?? 0;

  function check(budget: Budget, subject: string): void {
    const hour = hourOf();
    if (countOf(budget, subject, hour) < perHour[budget]) return;
    throw new Throttled(Math.max(1, Math.ceil(((hour + 1) * HOUR_MS - clock.now()) / 1_000)));
  }

  function tell(budget: Exclude<Budget, 'enrol_address'>, customer: string, count: number): void {
    const most = perHour[budget];
    const about = budget === 'enrol' ? 'answers to enrolments' : 'answers to sign-ins';
    if (count === Math.ceil(most / 2)) {
      warn(`customer ${customer} has had ${count} ${about} of the key-holder in this hour; ${most} are the most`);
    }
    if (count < most) return;
    audit.write({
      ...{ customer, outcome: 'answers_spent', answers: count },
      ...(budget === 'enrol' && { purpose: 'enrol' }),
    });
    warn(`customer ${customer} has had all ${count} ${about} of the key-holder for this hour; the rest is refused`);
  }

  return {
    check,
    count(budget, subject) {
      check(budget, subject);
      const hour = hourOf();
      forget.run(hour);
      add.run(budget, subject, hour);
      const count = countOf(budget, subject, hour);
      if (budget !== 'enrol_address') tell(budget, subject, count);
      // Not which: an address is known here by its digest, and that is of no use to an operator.
      else if (count === perHour.enrol_address) {
        warn(`one address has had all ${count} enrolments of this hour; the rest is refused`);
      }
    },
  };
}
