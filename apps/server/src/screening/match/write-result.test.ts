// Limits on a listed entity in a reply, so that replies stay small.
import { emptyEntity } from '@limen/screening';
import { expect, it } from 'vitest';
import { writeMatch } from './write-result.ts';

const numbered = (count: number, text: string) => Array.from({ length: count }, (_, at) => `${text} ${at}`);

function writeEntity(count: number) {
  const entity = {
    ...emptyEntity('x-1', 'Company'),
    names: numbered(count, 'Orvel Trading'),
    addresses: numbered(count, 'Harbour street'),
    positions: numbered(count, 'member of council'),
    identifiers: numbered(count, 'N').map((value) => ({ kind: 'taxNumber' as const, value })),
    referents: numbered(count, 'referent'),
  };
  return writeMatch({ entity, matchedName: 'Orvel Trading 0', score: 1, nameScore: 1, features: {} });
}

it('contains the first values, as documented, if a list has more', () => {
  const { aliases, addresses, positions, identifiers, referents } = writeEntity(60);
  expect(aliases).toHaveLength(20);
  expect(addresses).toEqual(numbered(20, 'Harbour street'));
  expect(positions).toEqual(numbered(20, 'member of council'));
  expect(identifiers).toEqual(numbered(50, 'N').map((value) => ({ kind: 'taxNumber', value })));
  expect(referents).toEqual(numbered(50, 'referent'));
});

it('contains everything within the limits', () => {
  const { addresses, positions } = writeEntity(20);
  expect([addresses.length, positions.length]).toEqual([20, 20]);
  const { identifiers, referents } = writeEntity(50);
  expect([identifiers.length, referents.length]).toEqual([50, 50]);
});
