// What has to be done so that a list is the same on this machine and in the database.
import type { DatasetInfo } from '../folder/dataset-folder.ts';
import type { Agreed } from './agreed-lists.ts';

/** What all have, or when it was removed. */
export type SharedState = { info: DatasetInfo } | { removedAt: number };

export interface ListPlaces {
  /** Undefined where this machine has none that is whole. */
  local: DatasetInfo | undefined;
  /** Undefined where nobody has told the database of it yet. */
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
  if (!shared) return local ? 'publish' : 'nothing';
  const there = 'info' in shared ? sumOf(shared.info)! : null;
  if (!local) {
    // Also by who never had it, so that nobody takes it for lost.
    if (there === null) return isRemoved ? 'nothing' : 'remove';
    return isRemoved && typeof agreed === 'string' ? 'retract' : 'adopt';
  }
  const here = sumOf(local);
  if (here === there) return 'compare';
  const takeOver = there === null ? 'remove' : 'adopt';
  if (here !== undefined && here === agreed) return takeOver;
  if (there === agreed) return 'publish';
  // Somebody removed it; a refresh that had begun before does not bring it back.
  if (there === null && agreed) return 'remove';
  // Both have changed, or the two have never met. Only here clocks decide, and only which of two new ones is taken.
  return Date.parse(local.builtAt) > timeOf(shared) ? 'publish' : takeOver;
}

export function sumOf(info: DatasetInfo | undefined): string | undefined {
  return info?.indexSum?.sha256;
}

function timeOf(state: SharedState): number {
  return 'info' in state ? Date.parse(state.info.builtAt) : state.removedAt;
}
