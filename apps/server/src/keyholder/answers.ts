// Counts the answers about each customer's tokens, hour by hour: rows that a service forges tell it a little with each.
import { Throttled } from '../core/keyholder/keyholder.ts';
import type { Clock } from '../platform/clock.ts';
import type { Audit } from './audit.ts';
import type { KeyHolderStore } from './store.ts';

export const ANSWERS_PER_HOUR = 3_600;
const HOUR_MS = 3_600_000;

export interface Answers {
  /** Throws Throttled when the customer has had all answers of this hour. */
  check(customer: string): void;
  /** One more; throws as `check` does. Part of the transaction in which the answer is written down. */
  count(customer: string): void;
}

interface AnswersOptions {
  store: KeyHolderStore;
  audit: Audit;
  clock: Clock;
  perHour: number;
  warn: (sentence: string) => void;
}

export function createAnswers({ store, audit, clock, perHour, warn }: AnswersOptions): Answers {
  const { db } = store;
  const find = db.prepare('select count from answers where customer = ? and hour = ?');
  const add = db.prepare(
    'insert into answers (customer, hour, count) values (?, ?, 1) on conflict do update set count = count + 1',
  );
  const forget = db.prepare('delete from answers where hour <> ?');
  const hourOf = () => Math.floor(clock.now() / HOUR_MS);
  const countOf = (customer: string, hour: number) =>
    (find.get(customer, hour) as { count: number } | undefined)?.count ?? 0;

  function check(customer: string): void {
    const hour = hourOf();
    if (countOf(customer, hour) < perHour) return;
    throw new Throttled(Math.max(1, Math.ceil(((hour + 1) * HOUR_MS - clock.now()) / 1_000)));
  }

  return {
    check,
    count(customer) {
      check(customer);
      const hour = hourOf();
      forget.run(hour);
      add.run(customer, hour);
      const count = countOf(customer, hour);
      if (count === Math.ceil(perHour / 2)) {
        warn(`customer ${customer} has had ${count} answers of the key-holder in this hour; ${perHour} are the most`);
      }
      if (count < perHour) return;
      audit.write({ customer, outcome: 'answers_spent', answers: count });
      warn(`customer ${customer} has had all ${count} answers of the key-holder for this hour; the rest is refused`);
    },
  };
}
