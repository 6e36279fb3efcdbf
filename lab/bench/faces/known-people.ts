// Parses the operator's file of known ages and reports unusable lines.
import { parse } from 'csv-parse/sync';
import type { KnownPerson } from './age-rule.ts';
import { portraitName } from './read.ts';

interface UnreadLine {
  line: number;
  text: string;
  because: string;
}

export interface KnownPeople {
  /** By picture name without extension. */
  people: Map<string, KnownPerson>;
  unread: UnreadLine[];
}

const SEXES = new Map([
  ...['f', 'female'].map((word) => [word, 'female'] as const),
  ...['m', 'male'].map((word) => [word, 'male'] as const),
]);
const MOST_AGE = 120;

/** Lines of `name,age` or `name,age,sex`. The first may be a heading. */
export function parseKnownPeople(text: string): KnownPeople {
  const people = new Map<string, KnownPerson>();
  const unread: UnreadLine[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const [name = '', years = '', word = '', ...rest] = splitLine(line);
    const age = Number(years);
    if (index === 0 && rest.length === 0 && years !== '' && !/\d/.test(years)) continue;
    const because = judgeLine({ line, name, years, age, rest }, people);
    if (because) unread.push({ line: index + 1, text: line, because });
    else people.set(portraitName(name), { age, sex: SEXES.get(word.toLowerCase()) ?? word.toLowerCase() });
  }
  return { people, unread };
}

/** Unchanged if its quotes do not match; it is then rejected for missing fields. */
function splitLine(line: string): string[] {
  try {
    const [cells = []]: string[][] = parse(line, { trim: true, relax_column_count: true });
    return cells;
  } catch {
    return [line];
  }
}

interface Line {
  line: string;
  name: string;
  years: string;
  age: number;
  rest: readonly string[];
}

function judgeLine({ line, name, years, age, rest }: Line, people: ReadonlyMap<string, unknown>): string | null {
  if (years === '' && /[;\t]/.test(line)) return 'its parts are not separated by commas';
  if (name === '') return 'it has no name';
  if (years === '') return 'it has no age';
  if (Number.isNaN(age)) return `its age “${years}” is not a number`;
  if (age < 0 || age >= MOST_AGE) return `its age is not from 0 to ${MOST_AGE - 1}`;
  if (rest.length > 0) return 'it has more than name, age and sex';
  return people.has(portraitName(name)) ? 'its name was there before' : null;
}
