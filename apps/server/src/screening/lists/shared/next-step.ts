// Decides how a list becomes the same on this machine and in the database: a comparison of both with what they last agreed on. Neither a
// wrong clock nor a database that was put back to an earlier moment makes an old version the news.
import type { DatasetInfo } from '../folder/folder.ts';

/** The version that all machines have, or the removal of the list. */
export type SharedState = ({ info: DatasetInfo } | { removedAt: number }) & { revision: number };

/** The version of a list that this machine and the database last agreed on. */
export interface Agreed {
  /** Checksum of the index that both have, or null if it is removed from both. */
  sum: string | null;
  /** Grows with every version and every removal. */
  revision: number;
}

export interface ListPlaces {
  /** Undefined if this machine has no version that is whole. */
  local: DatasetInfo | undefined;
  /** Undefined if the database has no row for it, or an edited one. */
  shared: SharedState | undefined;
  /** Undefined if the two have never met. */
  agreed: Agreed | undefined;
  /** True after a removal on this machine, until the list is loaded again. */
  isRemoved: boolean;
}

export type ListStep =
  | 'nothing'
  /** Give this machine's version to all. */
  | 'publish'
  /** Remove it from all. */
  | 'retract'
  /** Take over the version of all. */
  | 'adopt'
  | 'remove'
  /** The index is the same; the later question to the publisher saves the others theirs. */
  | 'compare';

export function nextStep({ local, shared, agreed, isRemoved }: ListPlaces): ListStep {
  const wasHere = typeof agreed?.sum === 'string';
  if (!shared) return local ? 'publish' : isRemoved && wasHere ? 'retract' : 'nothing';
  const there = 'info' in shared ? sumOf(shared.info) : null;
  const takeOver = there === null ? 'remove' : 'adopt';
  const isEarlier = agreed !== undefined && agreed.sum !== there && shared.revision <= agreed.revision;
  if (!local) {
    if (!isRemoved) return takeOver; // also a removal, so that the list does not count as lost here
    if (there === null) return 'nothing';
    return wasHere || isEarlier ? 'retract' : 'adopt';
  }
  const here = sumOf(local);
  if (here === there) return 'compare';
  if (isEarlier || there === agreed?.sum) return 'publish';
  if (here === agreed?.sum) return takeOver;
  // It was removed elsewhere. A refresh that had begun before does not bring it back, but a file that was loaded does.
  if (there === null && wasHere) return local.sync ? 'remove' : 'publish';
  // Both have changed, or the two have never met. Clocks only decide here, and only which of two new versions counts.
  const changedAt = 'info' in shared ? Date.parse(shared.info.builtAt) : shared.removedAt;
  return Date.parse(local.builtAt) > changedAt ? 'publish' : takeOver;
}

export function sumOf({ indexSum }: DatasetInfo): string {
  return indexSum.sha256;
}
