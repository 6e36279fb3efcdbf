// Names of datasets: their form, and those that are taken.
import type { LoadProblem } from '@limen/screening';

export const COLLECTIONS = ['default', 'sanctions', 'peps'] as const;
/** Fictional list that ships with the server */
export const DEMO = 'demo';

const RESERVED: readonly string[] = [...COLLECTIONS, DEMO];

/** Allows only a narrow form, because the name is a folder on disk and part of an address. */
export function isDatasetName(name: string): boolean {
  return /^[a-z0-9_]{1,64}$/.test(name) && !RESERVED.includes(name);
}

/** Returns why no command can change this list; undefined if the name is not reserved. */
export function explainReserved(name: string): string | undefined {
  if (name === DEMO) return `${DEMO} ships with the server: it is always there, never refreshed and never removed.`;
  if (!RESERVED.includes(name)) return undefined;
  return `${name} is a collection of loaded lists; name one of them, see: limen datasets list`;
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
  /** The first records that could not be used. They may quote the list, so they must not be logged. */
  readonly problems: readonly LoadProblem[];

  constructor(sentence: string, problems: readonly LoadProblem[] = []) {
    super(sentence);
    this.problems = problems;
  }
}

export class DatasetBusyError extends DatasetError {}

/** An index from another machine arrived damaged or incomplete. */
export class DamagedIndexError extends DatasetError {}
