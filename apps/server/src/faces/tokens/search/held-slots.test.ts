// Each held person is in exactly one batch, in one row.
import type { TokenArena } from '@limen/token/evaluator';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PersonId } from '../../../platform/base/ids.ts';
import type { ArenaToken } from './arena.ts';
import { type Batch, createHeldSlots } from './held-slots.ts';

const ARENA = {} as TokenArena;

/** Each slot holds a token or a block of one to four people; slot numbers are global with gaps. */
const slotsOf = fc.uniqueArray(
  fc.record({
    slot: fc.nat(100_000),
    epoch: fc.constantFrom('e1', 'e2'),
    places: fc.option(fc.subarray([0, 1, 2, 3], { minLength: 1 }), { nil: undefined }),
  }),
  { selector: ({ slot }) => slot, maxLength: 60 },
);

function tokensOf({
  slot,
  epoch,
  places,
}: {
  slot: number;
  epoch: string;
  places: number[] | undefined;
}): ArenaToken[] {
  const person = (place: number) => `${slot}/${place}` as PersonId;
  if (!places) return [{ slot, epoch, personId: person(0) }];
  return places.map((place) => ({ slot, epoch, place, personId: person(place) }));
}

/** Everyone as slot, key, kind and name, and each row by its number. */
function read({ kind, epoch, slots, counting, rows, people, personAt }: Batch): string[] {
  const told: string[] = [];
  const names = [...people(rows)];
  expect(names).toHaveLength(rows);
  expect([...people(rows - 1)]).toEqual(names.slice(0, -1));
  for (const [at, slot] of slots.entries())
    for (let place = 0; place < 4; place++)
      if ((counting[at]! & (1 << place)) !== 0) told.push(`${kind} ${epoch} ${slot}/${place}`);
  expect(names).toEqual(told.map((line) => line.split(' ')[2]));
  for (const row of [0, rows >> 1, rows - 1]) expect(personAt(row)).toBe(names[row]);
  return told;
}

const write = ({ slot, epoch, place }: ArenaToken) =>
  `${place === undefined ? 'tokens' : 'blocks'} ${epoch} ${slot}/${place ?? 0}`;

it('returns everyone present except those left out, after any changes', () => {
  fc.assert(
    fc.property(slotsOf, fc.infiniteStream(fc.nat(3)), (given, chances) => {
      const held = createHeldSlots();
      const all = given.flatMap(tokensOf);
      for (const token of all) held.add(token);
      const before = held.batches(ARENA, new Set());
      const gone = all.filter(() => chances.next().value === 0);
      const left = all.filter((token) => !gone.includes(token));
      for (const token of gone) {
        const others = left.some(({ slot }) => slot === token.slot);
        const isLast = !others && gone.findLast(({ slot }) => slot === token.slot) === token;
        expect(held.remove(token)).toBe(isLast);
      }
      const leftOut = left.filter(() => chances.next().value === 1);
      const now = held.batches(ARENA, new Set(leftOut.map(({ personId }) => personId)));
      const expected = left.filter((token) => !leftOut.includes(token)).map(write);
      expect(now.flatMap(read).toSorted()).toEqual(expected.toSorted());
      // State at the time of the query.
      expect(before.flatMap(read).toSorted()).toEqual(all.map(write).toSorted());
      expect(now.every(({ slots, counting }) => slots.length > 0 && !counting.includes(0))).toBe(true);
    }),
  );
});

it("leaves out a person's renewed token as well", () => {
  const held = createHeldSlots();
  const personId = 'p' as PersonId;
  const old: ArenaToken = { slot: 1, epoch: 'e1', personId };
  held.add(old);
  held.add({ slot: 2, epoch: 'e2', personId });
  held.remove(old);
  expect(held.batches(ARENA, new Set([personId]))).toEqual([]);
  expect(held.batches(ARENA, new Set()).map(({ epoch, rows }) => [epoch, rows])).toEqual([['e2', 1]]);
});
