// What has to be done so that a list is the same on this machine and in the database.
import type { DatasetInfo } from '../folder/dataset-folder.ts';
import type { Agreed } from './agreed-lists.ts';

/** What all have, or when it was removed. Rows of an earlier version of Limen have no revision. */
export type SharedState = ({ info: DatasetInfo } | { removedAt: number }) & { revision?: number | undefined };

export interface ListPlaces {
  /** Undefined where this machine has none that is whole. */
  local: DatasetInfo | undefined;
  /** Undefined where the database says nothing of it, or nothing that can be believed. */
  shared: SharedState | undefined;
  /** Undefined where the two have never met. */
  agreed: Agreed | undefined;
  /** Somebody removed it on this machine, and it was not loaded again since. */
  isRemoved: boolean;
}

export type Step =
  | 'nothing'
  /** Give this machine's to all. */
  | 'publish'
  /** Tell all that it is removed. */
  | 'retract'
  /** Take over what all have. */
  | 'adopt'
  | 'remove'
  /** The index is the same; who asked the publisher last saves the others the asking. */
  | 'compare';

/** Whoever still has what was agreed on takes over what the other one has. */
export function nextStep({ local, shared, agreed, isRemoved }: ListPlaces): Step {
  const wasHere = typeof agreed?.sum === 'string';
  if (!shared) return local ? 'publish' : isRemoved && wasHere ? 'retract' : 'nothing';
  const there = 'info' in shared ? sumOf(shared.info)! : null;
  // A database that was put back to an earlier moment, or a row that was: what came later is here.
  const isEarlier = agreed !== undefined && agreed.sum !== there && (shared.revision ?? Infinity) <= agreed.revision;
  if (!local) {
    // Also by who never had it, so that nobody takes it for lost.
    if (there === null) return isRemoved ? 'nothing' : 'remove';
    return isRemoved && (wasHere || isEarlier) ? 'retract' : 'adopt';
  }
  const here = sumOf(local);
  if (here === there) return 'compare';
  if (isEarlier) return 'publish';
  const takeOver = there === null ? 'remove' : 'adopt';
  if (here !== undefined && here === agreed?.sum) return takeOver;
  if (there === agreed?.sum) return 'publish';
  // Somebody removed it; a refresh that had begun before does not bring it back, but a file that somebody loaded does.
  if (there === null && agreed?.sum) return local.sync ? 'remove' : 'publish';
  // Both have changed, or the two have never met. Only here clocks decide, and only which of two new ones is taken.
  return Date.parse(local.builtAt) > timeOf(shared) ? 'publish' : takeOver;
}

export function sumOf(info: DatasetInfo | undefined): string | undefined {
  return info?.indexSum?.sha256;
}

function timeOf(state: SharedState): number {
  return 'info' in state ? Date.parse(state.info.builtAt) : state.removedAt;
}
