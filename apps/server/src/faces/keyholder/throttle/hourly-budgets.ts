// Counts what may be had so often in an hour: answers about a customer's tokens, by everybody who could use up another's.

import type { Audit } from '../audit/log.ts';
import { Throttled } from '../link/calls.ts';
import type { Rows } from '../store/store.ts';
import type { Budget, Budgets } from './rules.ts';

const HOUR_MS = 3_600_000;

/** One count: of a customer, an address' digest, or the name that a person is counted by. */
export interface Spending {
  budget: Budget;
  subject: string;
}

/** A budget of the hour is used up. */
export class AnswersSpentError extends Throttled {}

export type HourlyBudgets = ReturnType<typeof createHourlyBudgets>;

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

export function createHourlyBudgets(audit: Audit, perHour: Budgets, warn: (sentence: string) => void) {
  const hourOf = ({ now }: Rows) => Math.floor(now / HOUR_MS);

  async function countOf(rows: Rows, { budget, subject }: Spending): Promise<number> {
    const found = await rows.get<{ count: number }>(
      'select count from budgets where budget = ? and subject = ? and hour = ?',
      ...[budget, subject, hourOf(rows)],
    );
    return found?.count ?? 0;
  }

  /** Whole seconds until there are answers again; 0 while there are some. */
  async function waitOf(rows: Rows, spending: Spending): Promise<number> {
    if ((await countOf(rows, spending)) < perHour[spending.budget]) return 0;
    return Math.max(1, Math.ceil(((hourOf(rows) + 1) * HOUR_MS - rows.now) / 1_000));
  }

  /** Throws Throttled when one of them has had all of this hour. */
  async function check(rows: Rows, spendings: readonly Spending[]): Promise<void> {
    let longest = 0;
    for (const spending of spendings) longest = Math.max(longest, await waitOf(rows, spending));
    if (longest > 0) throw new AnswersSpentError(longest);
  }

  async function tellOfCustomer(rows: Rows, budget: 'sign_in' | 'enrol', customer: string, count: number) {
    const most = perHour[budget];
    const about = budget === 'enrol' ? 'answers to enrolments' : 'answers to sign-ins';
    if (count === Math.ceil(most / 2)) {
      warn(`customer ${customer} has had ${count} ${about} from the key-holder in this hour, of ${most} at most`);
    }
    if (count < most) return;
    const ofEnrolments = budget === 'enrol' && { purpose: 'enrol' as const };
    await audit.write(rows, { customer, outcome: 'answers_spent', answers: count, ...ofEnrolments });
    warn(
      `customer ${customer} has had all ${count} ${about} from the key-holder for this hour; further ones are refused`,
    );
  }

  async function tell(rows: Rows, { budget, subject }: Spending, count: number): Promise<void> {
    if (budget === 'sign_in' || budget === 'enrol') await tellOfCustomer(rows, budget, subject, count);
    else if (count === perHour[budget]) warn(ALL_HAD[budget].replace('%', String(count)));
  }

  return {
    check,
    waitOf,
    /** Returns the largest count of any subject in this hour, by budget, without the subject. */
    async listSpent(rows: Rows) {
      const found = await rows.all<{ budget: string; spent: number }>(
        'select budget, max(count) as spent from budgets where hour = ? group by budget',
        hourOf(rows),
      );
      const spent = new Map(found.map((row) => [row.budget, row.spent]));
      return Object.entries(perHour).map(([budget, most]) => ({ budget, spent: spent.get(budget) ?? 0, most }));
    },
    /** One more of each; throws as `check` does. Part of the transaction in which the answer is written down. */
    async count(rows: Rows, spendings: readonly Spending[]): Promise<void> {
      await check(rows, spendings);
      const hour = hourOf(rows);
      // Not those of a later hour: a database that took over may have a clock that is behind.
      await rows.run('delete from budgets where hour < ?', hour);
      for (const spending of spendings) {
        await rows.run(
          'insert into budgets (budget, subject, hour, count) values (?, ?, ?, 1) on conflict (budget, subject, hour) do update set count = budgets.count + 1',
          ...[spending.budget, spending.subject, hour],
        );
        await tell(rows, spending, await countOf(rows, spending));
      }
    },
  };
}
