// Countries as lists and people write them, as two letters: `LB`, `lb`, `Lebanon` and `Lebanese Republic` are one.

/** What the names of the language tables do not have, folded. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'bolivarian republic of venezuela': 've',
  britain: 'gb',
  burma: 'mm',
  'cape verde': 'cv',
  'congo democratic republic of the': 'cd',
  'cote divoire': 'ci',
  'czech republic': 'cz',
  'democratic peoples republic of korea': 'kp',
  'democratic republic of the congo': 'cd',
  dprk: 'kp',
  drc: 'cd',
  england: 'gb',
  'great britain': 'gb',
  holland: 'nl',
  'iran islamic republic of': 'ir',
  'islamic republic of iran': 'ir',
  'ivory coast': 'ci',
  'korea north': 'kp',
  'korea south': 'kr',
  'lao peoples democratic republic': 'la',
  macedonia: 'mk',
  'moldova republic of': 'md',
  'occupied palestinian territory': 'ps',
  palestine: 'ps',
  'peoples republic of china': 'cn',
  prc: 'cn',
  'republic of korea': 'kr',
  'republic of moldova': 'md',
  'russian federation': 'ru',
  'slovak republic': 'sk',
  'state of palestine': 'ps',
  swaziland: 'sz',
  'syrian arab republic': 'sy',
  'tanzania united republic of': 'tz',
  turkey: 'tr',
  uae: 'ae',
  uk: 'gb',
  'united kingdom of great britain and northern ireland': 'gb',
  'united republic of tanzania': 'tz',
  'united states of america': 'us',
  usa: 'us',
  vatican: 'va',
  'venezuela bolivarian republic of': 've',
  'viet nam': 'vn',
  // Codes that OpenSanctions has beside those of ISO.
  xk: 'xk',
};

/** Regions, unions and placeholders that have a code. */
const NO_COUNTRIES = new Set(['eu', 'ez', 'qo', 'un', 'xa', 'xb', 'zz']);

let byName: ReadonlyMap<string, string> | undefined;

/** Null for what is none that is known: it then says nothing, for or against. */
export function readCountry(text: string): string | null {
  byName ??= listNames();
  // `ru-cri` is a part of `ru`.
  const code = /^\s*([a-z]{2})(?:-[a-z0-9]{1,3})?\s*$/i.exec(text)?.[1]?.toLowerCase();
  return byName.get(code ?? fold(text)) ?? null;
}

export function readCountries(texts: readonly string[]): Set<string> {
  return new Set(texts.map(readCountry).filter((code) => code !== null));
}

function listNames(): Map<string, string> {
  const names = new Map(Object.entries(OTHER_NAMES));
  const english = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  for (const first of letters)
    for (const second of letters) {
      const code = first + second;
      const name = english.of(code.toUpperCase());
      if (NO_COUNTRIES.has(code)) continue;
      // `UK`, `DD` and the like are read as what they stand for today, which has a code of its own.
      if (name === undefined || names.has(code)) continue;
      const known = names.get(fold(name)) ?? code;
      names.set(fold(name), known);
      names.set(code, known);
    }
  return names;
}

function fold(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/['’.]|\p{M}/gu, '')
    .replace(/&/g, ' and ')
    .replace(/[^\p{L}]+/gu, ' ')
    .trim();
}
