// Invented entries that grow a real list to a million, with a growing vocabulary, and with as many
// identifiers, addresses and positions as OpenSanctions' collections.
import { emptyEntity, type Identifier, type IdentifierKind, type ListedEntity } from '@limen/screening';
import { createRandom, type Random } from '../shared/random.ts';

export function* growList(seed: readonly ListedEntity[], size: number): Generator<ListedEntity> {
  const random = createRandom(42);
  const people = seed.filter(({ schema, names }) => schema === 'Person' && names[0]!.includes(','));
  const given = people.map(({ names }) => names[0]!.split(', ')[1] ?? '');
  const family = people.map(({ names }) => names[0]!.split(', ')[0]!);
  yield* seed;
  for (let made = seed.length; made < size; made += 1) {
    const name = `${inventFamily(family, random)}, ${random.pick(given)}`;
    yield {
      ...emptyEntity(`grown-${made}`, 'Person'),
      caption: name,
      names: [name, ...alias(family, given, random)],
      birthDates: [dateOf(random)],
      countries: ['xx'],
      nationalities: random.below(2) === 0 ? ['xx'] : [],
      addresses: several(3, random, () => addressOf(family, random)),
      positions: several(2, random, () => `Member of the ${random.pick(family)} council (${1990 + random.below(36)})`),
      identifiers: several(3, random, () => identifierOf(random)),
      topics: ['sanction'],
      datasets: ['grown'],
      referents: several(3, random, () => `xx-${digits(14, random)}`),
      firstSeen: `2023-04-${two(1 + random.below(28))}T18:01:02`,
      lastSeen: '2026-11-12T06:01:02',
      lastChange: `2026-0${1 + random.below(9)}-${two(1 + random.below(28))}T12:01:02`,
    };
  }
}

/** Half are listed family names, the others combine the beginning of one and the end of another. */
function inventFamily(family: readonly string[], random: Random): string {
  const one = random.pick(family);
  if (random.below(2) === 0) return one;
  const other = random.pick(family).split(/[ -]/).at(-1)!;
  return one.slice(0, Math.max(2, one.length >> 1)) + other.slice(other.length >> 1);
}

function alias(family: readonly string[], given: readonly string[], random: Random): string[] {
  return random.below(2) === 0 ? [] : [`${inventFamily(family, random)}, ${random.pick(given)}`];
}

/** Returns a number below `most`, uniformly distributed. */
function several<Item>(most: number, random: Random, make: () => Item): Item[] {
  return Array.from({ length: random.below(most) }, make);
}

const KINDS: readonly IdentifierKind[] = [
  'passportNumber',
  'idNumber',
  'taxNumber',
  'innCode',
  'wikidataId',
  'identifier',
];

function identifierOf(random: Random): Identifier {
  return { kind: random.pick(KINDS), value: `${random.pick(['', 'K', 'AB'])}${digits(7 + random.below(5), random)}` };
}

function addressOf(family: readonly string[], random: Random): string {
  return `${1 + random.below(300)} ${random.pick(family)} street, ${random.pick(family)}, ${digits(5, random)}, Nowhere`;
}

function digits(count: number, random: Random): string {
  return Array.from({ length: count }, () => random.below(10)).join('');
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

function dateOf(random: Random): string {
  return `${1930 + random.below(75)}-${two(1 + random.below(12))}-${two(1 + random.below(28))}`;
}
