// Budgets by the hour: how many answers about a customer's tokens each customer, address and person may get.
import type { Audit } from '../audit/log.ts';
import type { BudgetsPerHour } from '../limits.ts';
import { ThrottledError } from '../link/calls.ts';
import type { Rows } from '../store/store.ts';

const HOUR_MS = 3_600_000;

/** `person` is the person found or asked for, `voucher` the person whose known device has signed. */
type Budget = keyof BudgetsPerHour | 'sign_in_strangers' | 'sign_in_vouched_address' | 'sign_in_voucher';

/** Limits what strangers, one address or one person can use of a customer's answers, so that some are left for others. */
export function shareOut(set: BudgetsPerHour): Readonly<Record<Budget, number>> {
  const { sign_in, sign_in_address, sign_in_person } = set;
  const atMost = (wanted: number, share: number) => Math.min(wanted, Math.ceil(sign_in * share));
  return {
    ...set,
    sign_in_strangers: atMost(sign_in, 3 / 4),
    sign_in_address: atMost(sign_in_address, 1 / 2),
    sign_in_vouched_address: atMost(2 * sign_in_address, 1 / 8),
    sign_in_person: atMost(sign_in_person, 1 / 4),
    sign_in_voucher: atMost(sign_in_person, 1 / 4),
  };
}

/** One count of a budget. The subject is a customer, or a digest of an address or person. */
export interface BudgetUse {
  budget: Budget;
  subject: string;
}

export class AnswersSpentError extends ThrottledError {}

export type HourlyBudgets = ReturnType<typeof createHourlyBudgets>;

const ALL_HAD: Readonly<Record<Exclude<Budget, 'sign_in' | 'enrol'>, string>> = {
  sign_in_strangers:
    'one customer’s strangers and new people have had all % answers to sign-ins that they may have; known devices of others go on',
  sign_in_address: 'one address has had all % answers to sign-ins for this hour; strangers there wait',
  sign_in_vouched_address: 'known devices at one address have had all % answers to sign-ins for this hour',
  sign_in_person: 'one person was searched % times in this hour; further searches find no one',
  sign_in_voucher: 'the known devices of one person have had all % answers to sign-ins for this hour',
  enrol_address: 'one address has had all % enrollments for this hour; further ones are refused',
};

export function createHourlyBudgets(
  audit: Audit,
  perHour: ReturnType<typeof shareOut>,
  warn: (sentence: string) => void,
) {
  const hourOf = ({ now }: Rows) => Math.floor(now / HOUR_MS);

  async function countOf(rows: Rows, { budget, subject }: BudgetUse): Promise<number> {
    const row = await rows.get<{
      count: number;
    }>`select count from budgets where budget = ${budget} and subject = ${subject} and hour = ${hourOf(rows)}`;
    return row?.count ?? 0;
  }

  async function waitOf(rows: Rows, spendings: readonly BudgetUse[]): Promise<number> {
    for (const spending of spendings) {
      if ((await countOf(rows, spending)) < perHour[spending.budget]) continue;
      return Math.max(1, Math.ceil(((hourOf(rows) + 1) * HOUR_MS - rows.now) / 1_000));
    }
    return 0;
  }

  async function check(rows: Rows, spendings: readonly BudgetUse[]): Promise<void> {
    const wait = await waitOf(rows, spendings);
    if (wait > 0) throw new AnswersSpentError(wait);
  }

  async function report(rows: Rows, { budget, subject }: BudgetUse, count: number): Promise<void> {
    const most = perHour[budget];
    if (budget !== 'sign_in' && budget !== 'enrol') {
      if (count === most) warn(ALL_HAD[budget].replace('%', String(count)));
      return;
    }
    const about = budget === 'enrol' ? 'answers to enrollments' : 'answers to sign-ins';
    if (count === Math.ceil(most / 2))
      warn(`customer ${subject} has had ${count} ${about} from the key-holder in this hour, of ${most} at most`);
    if (count < most) return;
    const purpose = budget === 'enrol' && { purpose: 'enrol' as const };
    await audit.write(rows, { customer: subject, outcome: 'answers_spent', answers: count, ...purpose });
    warn(
      `customer ${subject} has had all ${count} ${about} from the key-holder for this hour; further ones are refused`,
    );
  }

  return {
    /** Throws AnswersSpentError if one of them is used up for this hour. */
    check,
    waitOf,
    /** Returns the largest count of any subject in this hour, by budget, without the subject. */
    async listSpent(rows: Rows) {
      const counts = await rows.all<{
        budget: string;
        spent: number;
      }>`select budget, max(count) as spent from budgets where hour = ${hourOf(rows)} group by budget`;
      const spent = new Map(counts.map((row) => [row.budget, row.spent]));
      return Object.entries(perHour).map(([budget, most]) => ({ budget, spent: spent.get(budget) ?? 0, most }));
    },
    /** Adds one to each. Throws as `check` does. Part of the transaction that records the answer. */
    async count(rows: Rows, spendings: readonly BudgetUse[]): Promise<void> {
      await check(rows, spendings);
      const hour = hourOf(rows);
      // Later hours stay: a database that took over may have a clock that is behind.
      await rows.run`delete from budgets where hour < ${hour}`;
      for (const spending of spendings) {
        await rows.run`insert into budgets (budget, subject, hour, count) values (${spending.budget}, ${spending.subject}, ${hour}, 1) on conflict (budget, subject, hour) do update set count = budgets.count + 1`;
        await report(rows, spending, await countOf(rows, spending));
      }
    },
  };
}
