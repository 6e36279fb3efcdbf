// The two kinds of CSV files, those that are screened and those of subjects to watch, call some columns otherwise.

/** By the name in files of subjects, the one in files that are screened. */
const IN_SCREENED_FILES = {
  reference: 'id',
  birthDate: 'dob',
  countries: 'country',
  nationalities: 'nationality',
  identifiers: 'identifier',
  addresses: 'address',
} as const;

const PAIRS = Object.entries(IN_SCREENED_FILES).map(([one, other]) => [one.toLowerCase(), other] as const);
const OTHER_NAMES = new Map<string, string>([...PAIRS, ...PAIRS.map(([one, other]) => [other, one] as const)]);

/** In small letters, as headers are compared; undefined where both kinds call it the same. */
export function otherNameOf(column: string): string | undefined {
  return OTHER_NAMES.get(column.toLowerCase());
}
