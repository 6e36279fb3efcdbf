// Normalizes countries to two letters: `LB`, `lb`, `LBN`, `Lebanon` and `Lebanese Republic` are
// one.
import { cacheByText } from '../matching/remember.ts';
import { COUNTRY_TABLE, OTHER_CODES } from './country-table.ts';

/** Words for "state", dropped unless they distinguish countries. */
const WORDS_OF_STATE = new Set([
  ...['arab', 'bolivarian', 'commonwealth', 'cooperative', 'democratic', 'duchy', 'eastern', 'federal', 'federated'],
  ...['federative', 'grand', 'hashemite', 'independent', 'islamic', 'kingdom', 'peoples', 'plurinational'],
  ...['principality', 'region', 'republic', 'socialist', 'state', 'states', 'sultanate', 'union', 'united'],
]);
const SMALL_WORDS = new Set(['and', 'of', 'the']);

/** Maximum length of a country's name. */
const LONGEST_NAME = 100;

const { byCode, byName } = readTable();

/** Returns null for unknown countries, which count neither for nor against a match. */
export function readCountry(text: string): string | null {
  return text.length > LONGEST_NAME ? null : findCountry(text);
}

export function readCountries(texts: readonly string[]): Set<string> {
  return new Set(texts.map(readCountry).filter((code) => code !== null));
}

const findCountry = cacheByText((text: string): string | null => {
  const bare = text.replaceAll('.', '').trim().toLowerCase();
  // `ru-cri` is a part of `ru`.
  const code = bare.replace(/^([a-z]{2})-[a-z0-9]{1,4}$/, '$1');
  const words = wordsOf(text);
  const telling = words.filter((word) => !WORDS_OF_STATE.has(word));
  return byCode.get(code) ?? byName.get(words.join(' ')) ?? byName.get(telling.join(' ')) ?? null;
});

function readTable(): Record<'byCode' | 'byName', Map<string, string>> {
  const codes = new Map(Object.entries(OTHER_CODES));
  const names = new Map<string, string>();
  for (const line of COUNTRY_TABLE.trim().split('\n')) {
    const [, two, three, written] = /^(..) (...) (.+)$/.exec(line) as unknown as [string, string, string, string];
    codes.set(two, two).set(three, two);
    for (const name of written.split('|')) names.set(wordsOf(name).join(' '), two);
  }
  return { byCode: codes, byName: names };
}

/** Sorts the words, so that `Korea, North` equals `North Korea`. */
function wordsOf(name: string): string[] {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/['’`.]|\p{M}/gu, '')
    .replace(/&/g, ' and ')
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '' && !SMALL_WORDS.has(word));
  return words.map((word) => (word === 'st' || word === 'ste' ? 'saint' : word)).sort();
}
