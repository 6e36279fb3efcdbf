// How long one proof waits for other people's servers, whatever it needs of them: status lists and lists of revoked certificates.
import { setTimeout } from 'node:timers/promises';

/** Over when nothing more is waited for. It begins with the first who waits. */
export type ProofBudget = () => Promise<void>;

export type Wait = (ms: number) => Promise<void>;

const BUDGET_MS = 10_000;

export function createProofBudget(wait: Wait): ProofBudget {
  let budget: Promise<void> | undefined;
  return () => {
    budget ??= wait(BUDGET_MS);
    return budget;
  };
}

/** Keeps no process from ending. */
export const waitUnheld: Wait = (ms) => setTimeout(ms, undefined, { ref: false });
