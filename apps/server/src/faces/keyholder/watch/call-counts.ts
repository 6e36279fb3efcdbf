// Counts the calls of a key-holder's process for its metrics, by kind and by reason of refusal: never by customer, person or address.
import type { CallName, Refusal } from '../link/messages.ts';

/** `store`: the database is away or its disk is full. `failed`: anything else that went wrong. */
export type RefusalReason = Refusal['code'] | 'answers_spent' | 'store';

const REASONS: Record<RefusalReason, true> = {
  throttled: true,
  answers_spent: true,
  locked: true,
  challenge: true,
  epoch: true,
  store: true,
  failed: true,
};

export type CallCounts = ReturnType<typeof createCallCounts>;

export function createCallCounts() {
  const calls = new Map<string, number>();
  // From 0, because an increase from nothing is none to Prometheus.
  const refusals = new Map<string, number>(Object.keys(REASONS).map((reason) => [reason, 0]));
  const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    calls,
    refusals,
    count(call: CallName, refused?: RefusalReason): void {
      add(calls, call);
      if (refused) add(refusals, refused);
    },
  };
}
