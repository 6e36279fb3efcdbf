// Made-up text of machine-readable zones: names, numbers, dates, fillers; and random text.
import { ZONE_CHARACTERS } from '../../packages/documents/src/mrz/grammar.ts';
import type { Random } from './random.ts';

const VOWELS = 'AAAEEEEIIIOOUUY';
const CONSONANTS = 'BCDFGHJKLLMMNNNPQRRRSSSTTTVWXZ';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';
/** Characters that are confused most often, drawn more frequently. */
const CONFUSING = '00OODQB8I1Z2S5G6T7CVUY4A';

function repeat(random: Random, from: ArrayLike<string>, count: number): string {
  let text = '';
  for (let index = 0; index < count; index += 1) text += random.pick(from);
  return text;
}

function makeName(random: Random): string {
  let name = '';
  const syllables = 1 + random.below(4);
  for (let index = 0; index < syllables; index += 1)
    name += random.pick(CONSONANTS) + random.pick(VOWELS) + (random.chance(0.35) ? random.pick(CONSONANTS) : '');
  return name;
}

const PARTS: readonly ((random: Random) => string)[] = [
  makeName,
  (random) => `${makeName(random)}<<${makeName(random)}<`,
  (random) => '<'.repeat(1 + random.below(12)),
  (random) => repeat(random, DIGITS, 6 + random.below(4)),
  (random) =>
    `${repeat(random, DIGITS, 7)}${random.pick('MF<')}${repeat(random, DIGITS, 7)}${repeat(random, LETTERS, 3)}`,
  (random) => `${random.pick(['P<', 'I<', 'ID', 'V<', 'AC', 'PM'])}${repeat(random, LETTERS, 3)}`,
  (random) => repeat(random, LETTERS + DIGITS, 9),
];

/** Text of `length` characters. `sense` is the share of texts that look like a zone. */
export function makeZoneText(random: Random, length: number, sense: number): string {
  if (!random.chance(sense)) return repeat(random, random.chance(0.35) ? CONFUSING : ZONE_CHARACTERS, length);
  let text = '';
  while (text.length < length * 2) text += random.pick(PARTS)(random);
  const from = random.below(length);
  return text.slice(from, from + length);
}
