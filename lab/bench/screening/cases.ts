// Rows with known results on a real list: distorted listed people, unlisted people, and hard
// negatives.
import type { ListedEntity, PersonRow } from '@limen/screening';
import { createRandom, type Random } from '../shared/random.ts';
import { CYRILLIC_SPELLINGS } from './cyrillic-spellings.ts';
import { DISTORTIONS, type Distortion, type WrittenName } from './distortions.ts';
import { NAME_POOLS } from './names.ts';

export interface Case extends PersonRow {
  kind: string;
  /** Id of the expected entity. Undefined if none is expected. */
  expected: string | undefined;
}

export interface CaseSet {
  /** Content of the index: the list without the aliases that serve as unseen queries. */
  entities: ListedEntity[];
  listed: Case[];
  /** Listed people with a patronymic, by given and family name in other languages' spelling. */
  abroad: Case[];
  innocents: Case[];
  /** Unlisted people with the given and family name of a listed one, apart from vowels. */
  namesakes: Case[];
  hardNegatives: Case[];
}

export interface CaseCounts {
  perDistortion: number;
  innocents: number;
  hardNegatives: number;
}

/** `half` 0 is the training half, 1 is held out. */
export function makeCases(list: readonly ListedEntity[], half: 0 | 1, counts: CaseCounts): CaseSet {
  const random = createRandom(20_261_115 + half);
  const entities = list.map((entity) => ({ ...entity, names: [...entity.names] }));
  const people = entities.filter((entity) => entity.schema === 'Person' && hashOf(entity.id) % 2 === half);
  const named = people.filter(({ names }) => isFullName(names[0]!));
  const listed = distortNames(DISTORTIONS, named, counts.perDistortion, random);
  listed.push(...holdOutAliases(named, counts.perDistortion, random));
  const known = new Set(entities.flatMap(({ names }) => names.flatMap(namesakeKeys)));
  return {
    entities,
    listed,
    ...makeInnocents(counts.innocents, known, random),
    hardNegatives: makeHardNegatives(named, counts.hardNegatives, known, random),
    // Last, so that the random draws of the others do not change.
    abroad: distortNames(CYRILLIC_SPELLINGS, named, counts.perDistortion, random).map((row) => ({
      ...row,
      birthDate: '',
    })),
  };
}

function distortNames(
  distortions: Record<string, Distortion>,
  people: readonly ListedEntity[],
  perDistortion: number,
  random: Random,
): Case[] {
  const cases: Case[] = [];
  for (const [kind, distort] of Object.entries(distortions)) {
    let made = 0;
    for (const entity of random.shuffle([...people])) {
      if (made === perDistortion) break;
      const written = distort(readName(entity.names[0]!), random);
      if (!written) continue;
      made += 1;
      cases.push({ kind, expected: entity.id, ...writeRow(written), birthDate: likelyDate(entity, random) });
    }
  }
  return cases;
}

/** An alias that is removed from the list and used as a query. */
function holdOutAliases(people: ListedEntity[], count: number, random: Random): Case[] {
  const cases: Case[] = [];
  for (const entity of random.shuffle(people.filter(({ names }) => names.length >= 3)).slice(0, count)) {
    const at = 1 + random.below(entity.names.length - 1);
    const alias = entity.names[at]!;
    if (!isFullName(alias)) continue;
    entity.names.splice(at, 1);
    cases.push({
      kind: 'alias that is not listed',
      expected: entity.id,
      ...writeRow(readName(alias)),
      birthDate: likelyDate(entity, random),
    });
  }
  return cases;
}

function makeInnocents(count: number, known: Set<string>, random: Random): Pick<CaseSet, 'innocents' | 'namesakes'> {
  const cases: Case[] = [];
  const namesakes: Case[] = [];
  const made = new Set<string>();
  while (cases.length < count) {
    const { given, family: ownFamily } = random.pick(NAME_POOLS);
    // Some have parents or partners from elsewhere.
    const family = random.below(3) === 0 ? random.pick(NAME_POOLS).family : ownFamily;
    const middle = random.below(4) === 0 ? [random.pick(given)] : [];
    const row = writeRow({ given: [random.pick(given), ...middle], family: [random.pick(family)] });
    const key = `${row.firstName} ${row.lastName}`;
    if (made.has(key)) continue;
    made.add(key);
    const birthDate = random.below(10) === 0 ? '' : randomDate(random);
    // Names alone cannot distinguish a namesake from a listed person, so they are counted
    // separately.
    const isNamesake = namesakeKeys(`${row.lastName}, ${row.firstName}`).some((key) => known.has(key));
    (isNamesake ? namesakes : cases).push({ kind: 'innocent', expected: undefined, ...row, birthDate });
  }
  return { innocents: cases, namesakes };
}

function makeHardNegatives(people: ListedEntity[], count: number, known: Set<string>, random: Random): Case[] {
  const cases: Case[] = [];
  const dated = people.filter(({ birthDates }) => birthDates.length > 0);
  for (const entity of random.shuffle([...dated]).slice(0, count / 2)) {
    const years = entity.birthDates.map((date) => Number(date.slice(0, 4)));
    const year =
      random.below(2) === 0 ? Math.max(...years) + 8 + random.below(25) : Math.min(...years) - 8 - random.below(25);
    const birthDate = `${year}${randomDate(random).slice(4)}`;
    cases.push({
      kind: 'same name, born 8 or more years off',
      expected: undefined,
      ...writeRow(readName(entity.names[0]!)),
      birthDate,
    });
  }
  while (cases.length < count) {
    const one = random.pick(people);
    const row = writeRow({
      given: readName(one.names[0]!).given,
      family: readName(random.pick(people).names[0]!).family,
    });
    if (row.firstName === '' || known.has(keyOf(`${row.firstName} ${row.lastName}`))) continue;
    const birthDate = random.below(2) === 0 ? (one.birthDates[0] ?? '') : randomDate(random);
    cases.push({ kind: 'recombined names', expected: undefined, ...row, birthDate });
  }
  return cases;
}

/** Most rows carry the listed date. The others have none, a part of it, or a typo. */
function likelyDate({ birthDates }: ListedEntity, random: Random): string {
  const date = birthDates[0]?.replace(/[~/].*$/, '') ?? '';
  const chance = random.below(100);
  if (chance < 20 || date === '') return '';
  if (date.length < 10 || chance < 85) return date;
  if (chance < 90) return date.slice(0, 4);
  const [year, month, day] = date.split('-') as [string, string, string];
  if (chance < 95) return Number(day) <= 12 ? `${year}-${day}-${month}` : date;
  return `${Number(year) + 1}-${month}-28`;
}

function randomDate(random: Random): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${1940 + random.below(65)}-${two(1 + random.below(12))}-${two(1 + random.below(28))}`;
}

/** `FAMILY, Given` or `Given FAMILY`. */
function readName(name: string): WrittenName {
  const [family, given] = name.includes(',') ? name.split(',', 2) : ['', name];
  const parts = split(given!);
  if (family !== '') return { given: parts, family: split(family!) };
  return { given: parts.slice(0, -1), family: parts.slice(-1) };
}

function split(text: string): string[] {
  return text.split(/[\s-]+/).filter((part) => part !== '');
}

function writeRow({ given, family }: WrittenName): Pick<PersonRow, 'firstName' | 'lastName'> {
  return { firstName: given.join(' '), lastName: family.join(' ') };
}

function isFullName(name: string): boolean {
  return split(name.replace(',', ' ')).filter((part) => part.length > 2).length >= 2;
}

/** A listed name, and all combinations of its given and family names. */
function namesakeKeys(name: string): string[] {
  const { given, family } = readName(name);
  return [keyOf(name), ...given.flatMap((one) => family.map((other) => keyOf(`${one} ${other}`)))];
}

/** Names that differ only in order, vowels or doubled letters have the same key. */
function keyOf(name: string): string {
  const consonants = (part: string) => part.replace(/(?<=.)[aeiouy]/g, '').replace(/(.)\1+/g, '$1');
  const parts = split(name.toLowerCase().replace(/[^\p{L} -]/gu, ' ')).filter((part) => !/^(jr|sr|al|el)$/.test(part));
  return parts.map(consonants).toSorted().join(' ');
}

export function hashOf(text: string): number {
  let hash = 0;
  for (const letter of text) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
  return hash >>> 3;
}
