// Decides how a list becomes the same on this machine and in the database, by comparing both with what they last agreed on.
// Neither a wrong clock nor a restored database makes an old version win.
import type { DatasetInfo } from '../folder/folder.ts';

/** The version that all machines should have, or the removal of the list. `revision` grows with each. */
export type SharedState = ({ info: DatasetInfo; removedAt?: never } | { info?: never; removedAt: number }) & {
  revision: number;
};

/** The version that this machine and the database last agreed on; `sum` is null after a removal. */
export interface SharedVersion {
  sum: string | null;
  revision: number;
}

export interface ListCopies {
  /** Undefined if this machine has no undamaged version. */
  local: DatasetInfo | undefined;
  /** Undefined if the database has no row for the list, or an edited one. */
  shared: SharedState | undefined;
  agreed: SharedVersion | undefined;
  /** True after a removal on this machine, until the list is loaded again. */
  isRemoved: boolean;
}

/** `retract` removes the list from all machines, `adopt` takes over their version. */
export type ListStep = 'nothing' | 'publish' | 'retract' | 'adopt' | 'remove' | 'compare';

export function nextStep({ local, shared, agreed, isRemoved }: ListCopies): ListStep {
  const wasHere = typeof agreed?.sum === 'string';
  if (!shared) return local ? 'publish' : isRemoved && wasHere ? 'retract' : 'nothing';
  const there = shared.info ? requireSum(shared.info) : null;
  const takeOver = there === null ? 'remove' : 'adopt';
  const isEarlier = agreed !== undefined && agreed.sum !== there && shared.revision <= agreed.revision;
  if (!local) {
    if (!isRemoved) return takeOver; // Also for a removal, so that the list does not count as lost here.
    if (there === null) return 'nothing';
    return wasHere || isEarlier ? 'retract' : 'adopt';
  }
  const here = requireSum(local);
  if (here === there) return 'compare';
  if (isEarlier || there === agreed?.sum) return 'publish';
  if (here === agreed?.sum) return takeOver;
  // After a removal elsewhere, a refresh that began before it does not bring the list back, but loading a file does.
  if (there === null && wasHere) return local.sync ? 'remove' : 'publish';
  // Both have changed, or the two have never met. Clocks decide only here.
  const changedAt = shared.info ? Date.parse(shared.info.builtAt) : shared.removedAt;
  return Date.parse(local.builtAt) > changedAt ? 'publish' : takeOver;
}

export function requireSum({ indexSum }: DatasetInfo): string {
  return indexSum.sha256;
}
