// Invented entries that grow a real list to a million, with a dictionary that grows along.
import { emptyEntity, type ListedEntity } from '@limen/screening';
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
      topics: ['sanction'],
      datasets: ['grown'],
    };
  }
}

/** Half of them are listed family names, the others the front of one and the back of another. */
function inventFamily(family: readonly string[], random: Random): string {
  const one = random.pick(family);
  if (random.below(2) === 0) return one;
  const other = random.pick(family).split(/[ -]/).at(-1)!;
  return one.slice(0, Math.max(2, one.length >> 1)) + other.slice(other.length >> 1);
}

function alias(family: readonly string[], given: readonly string[], random: Random): string[] {
  return random.below(2) === 0 ? [] : [`${inventFamily(family, random)}, ${random.pick(given)}`];
}

function dateOf(random: Random): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${1930 + random.below(75)}-${two(1 + random.below(12))}-${two(1 + random.below(28))}`;
}
