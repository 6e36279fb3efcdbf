// Counts what may be had so often in an hour: answers about a customer's tokens, by everybody who could use up another's.
import { Throttled } from '../../core/keyholder/keyholder.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Audit } from '../audit/audit.ts';
import type { KeyHolderStore } from '../store.ts';
import type { Budget, Budgets } from './throttle-rules.ts';

const HOUR_MS = 3_600_000;

/** One count: of a customer, an address' digest, or the name that a person is counted by. */
export interface Spending {
  budget: Budget;
  subject: string;
}

export interface HourlyBudgets {
  /** Throws Throttled when one of them has had all of this hour. */
  check(spendings: readonly Spending[]): void;
  /** One more of each; throws as `check` does. Part of the transaction in which the answer is written down. */
  count(spendings: readonly Spending[]): void;
  /** Whole seconds until there are answers again; 0 while there are some. */
  waitOf(spending: Spending): number;
}

interface HourlyBudgetsOptions {
  store: KeyHolderStore;
  audit: Audit;
  clock: Clock;
  perHour: Budgets;
  warn: (sentence: string) => void;
}

/** What an operator is told when all is used up. Not whose: addresses and people are known here by digests. */
const ALL_HAD: Readonly<Record<Exclude<Budget, 'sign_in' | 'enrol'>, string>> = {
  sign_in_strangers:
    'one customer’s strangers and new people have had all % answers to sign-ins that they may have; known devices of others go on',
  sign_in_address: 'one address has had all % answers to sign-ins for this hour; strangers there wait',
  sign_in_vouched_address: 'known devices at one address have had all % answers to sign-ins for this hour',
  sign_in_person: 'one person was looked for % times in this hour; further searches find nobody',
  sign_in_voucher: 'the known devices of one person have had all % answers to sign-ins for this hour',
  enrol_address: 'one address has had all % enrolments for this hour; further ones are refused',
};

export function createHourlyBudgets({ store, audit, clock, perHour, warn }: HourlyBudgetsOptions): HourlyBudgets {
  const { db } = store;
  const find = db.prepare('select count from budgets where budget = ? and subject = ? and hour = ?');
  const add = db.prepare(
    'insert into budgets (budget, subject, hour, count) values (?, ?, ?, 1) on conflict do update set count = count + 1',
  );
  const forget = db.prepare('delete from budgets where hour <> ?');
  const hourOf = () => Math.floor(clock.now() / HOUR_MS);
  const countOf = ({ budget, subject }: Spending, hour: number) =>
    (find.get(budget, subject, hour) as { count: number } | undefined)?.count ?? 0;

  function waitOf(spending: Spending): number {
    const hour = hourOf();
    if (countOf(spending, hour) < perHour[spending.budget]) return 0;
    return Math.max(1, Math.ceil(((hour + 1) * HOUR_MS - clock.now()) / 1_000));
  }

  function check(spendings: readonly Spending[]): void {
    const longest = Math.max(0, ...spendings.map(waitOf));
    if (longest > 0) throw new Throttled(longest);
  }

  function tellOfCustomer(budget: 'sign_in' | 'enrol', customer: string, count: number): void {
    const most = perHour[budget];
    const about = budget === 'enrol' ? 'answers to enrolments' : 'answers to sign-ins';
    if (count === Math.ceil(most / 2)) {
      warn(`customer ${customer} has had ${count} ${about} from the key-holder in this hour, of ${most} at most`);
    }
    if (count < most) return;
    audit.write({
      customer,
      outcome: 'answers_spent',
      answers: count,
      ...(budget === 'enrol' && { purpose: 'enrol' }),
    });
    warn(
      `customer ${customer} has had all ${count} ${about} from the key-holder for this hour; further ones are refused`,
    );
  }

  function tell({ budget, subject }: Spending, count: number): void {
    if (budget === 'sign_in' || budget === 'enrol') tellOfCustomer(budget, subject, count);
    else if (count === perHour[budget]) warn(ALL_HAD[budget].replace('%', String(count)));
  }

  return {
    check,
    waitOf,
    count(spendings) {
      check(spendings);
      const hour = hourOf();
      forget.run(hour);
      for (const spending of spendings) {
        add.run(spending.budget, spending.subject, hour);
        tell(spending, countOf(spending, hour));
      }
    },
  };
}
