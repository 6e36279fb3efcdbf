// Countries that are none any more. They are not compared, because nobody lives in one; lists still name them, and FollowTheMoney has
// codes for them.

interface FormerCountry {
  code: string;
  /** The first as it is shown. */
  names: readonly string[];
}

const FORMER_COUNTRIES: readonly FormerCountry[] = [
  { code: 'an', names: ['Netherlands Antilles', 'ant'] },
  { code: 'cshh', names: ['Czechoslovakia', 'csk'] },
  { code: 'csxx', names: ['Serbia and Montenegro', 'scg'] },
  { code: 'suhh', names: ['Soviet Union', 'USSR', 'Union of Soviet Socialist Republics', 'sun', 'su'] },
  { code: 'yucs', names: ['Yugoslavia', 'yug', 'yu'] },
];

const plain = (name: string) =>
  name
    .toLowerCase()
    .replace(/\(.*\)|^(?:the|former)\b/g, '')
    .replaceAll('&', ' and ')
    .replace(/[^a-z]+/g, ' ')
    .trim();
const BY_NAME = new Map(
  FORMER_COUNTRIES.flatMap((country) =>
    [country.code, ...country.names].map((name) => [plain(name), country] as const),
  ),
);

export function findFormerCountry(name: string): FormerCountry | undefined {
  return BY_NAME.get(plain(name));
}

export function labelFormerCountry(code: string): string | undefined {
  return FORMER_COUNTRIES.find((country) => country.code === code)?.names[0];
}
