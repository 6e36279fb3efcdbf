// Names of datasets: what one may be called, and the names that are taken.
import type { LoadProblem } from '@limen/screening';

/** They always resolve, over whatever is loaded. */
export const COLLECTIONS = ['default', 'sanctions', 'peps'] as const;
/** The fictional list that ships with the server. */
export const DEMO = 'demo';

const RESERVED: readonly string[] = [...COLLECTIONS, DEMO];

/** A name is a folder on disk and a part of an address, so its form is narrow. */
export function isDatasetName(name: string): boolean {
  return /^[a-z0-9_]{1,64}$/.test(name) && !RESERVED.includes(name);
}

/** Undefined for a name that a list may have. For commands on lists that are there, where another name is no help. */
export function explainReserved(name: string): string | undefined {
  if (name === DEMO) return `${DEMO} ships with the server: it is always there, never refreshed and never removed.`;
  if (!RESERVED.includes(name)) return undefined;
  return `${name} is a collection over whatever lists are loaded; name one of those, see: limen datasets list`;
}

export function requireDatasetName(name: string): void {
  if (isDatasetName(name)) return;
  throw new DatasetError(
    RESERVED.includes(name)
      ? `The name ${name} is taken: ${RESERVED.join(', ')} are always there. Choose another, such as my_${name}.`
      : 'The name of a dataset has 1 to 64 of these characters: a to z, 0 to 9, _ (such as us_ofac_sdn).',
  );
}

export class DatasetError extends Error {
  override readonly name = 'DatasetError';
  /** The first records that could not be used. They may quote the list: for the operator's eyes, not for a log. */
  readonly problems: readonly LoadProblem[];

  constructor(sentence: string, problems: readonly LoadProblem[] = []) {
    super(sentence);
    this.problems = problems;
  }
}

/** Another process is at it. */
export class DatasetBusy extends DatasetError {}

/** An index from another machine arrived damaged or incomplete. */
export class IndexNotWhole extends DatasetError {}
