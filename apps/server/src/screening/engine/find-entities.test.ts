// Limits on how much of an entity is shown.
import { emptyEntity, VALUE_LISTS } from '@limen/screening';
import { expect, it } from 'vitest';
import { MAX_SHOWN_CHARACTERS, MAX_SHOWN_VALUES } from '../limits.ts';
import { shortenEntity } from './find-entities.ts';

const numbered = (count: number, length: number) => Array.from({ length: count }, (_, at) => `${at}`.padEnd(length));
const entityWith = (values: string[]) => ({
  ...emptyEntity('a', 'Person'),
  caption: 'Maria Beispiel',
  ...Object.fromEntries(VALUE_LISTS.map((list) => [list, values])),
  identifiers: values.map((value) => ({ kind: 'identifier', value }) as const),
});

it('shows the first hundred values of each kind', () => {
  const shown = shortenEntity(entityWith(numbered(5_000, 5)));
  for (const list of [...VALUE_LISTS, 'identifiers'] as const) expect(shown[list]).toHaveLength(MAX_SHOWN_VALUES);
  expect(shown.names[99]).toBe('99   ');
});

it('shows no more characters than fit, and a name in any case', () => {
  const shown = shortenEntity(entityWith(numbered(100, 2_000)));
  const characters = [...VALUE_LISTS.flatMap((list) => shown[list]), ...shown.identifiers.map(({ value }) => value)];
  expect(characters.join('').length).toBeLessThanOrEqual(MAX_SHOWN_CHARACTERS + 2_000);
  expect(shown.names).toHaveLength(1);
});

it('shows everything in entities of ordinary size', () => {
  const entity = entityWith(numbered(30, 40));
  expect(shortenEntity(entity)).toEqual(entity);
});
