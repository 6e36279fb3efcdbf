// Which changes between two versions are looked up, and the limit on them.
import type { EntityChange } from '@limen/screening';
import { expect, it } from 'vitest';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { readChanges } from './follow-lists.ts';

const TORVALD = createListedEntity('inv-1', 'Torvald Eskeland');
const QUORVINA = createListedEntity('inv-2', 'Quorvina Belzanfer');
const MIRKO = createListedEntity('inv-3', 'Mirko Zantulgrave');

async function* each(changes: Iterable<EntityChange>): AsyncGenerator<EntityChange> {
  yield* changes;
}

it('knows all changes, and looks up only those that may create a match', async () => {
  const after = { ...TORVALD, programs: ['ANOTHER'] };
  const changes = await readChanges(
    each([
      { change: 'added', after: MIRKO },
      { change: 'changed', before: TORVALD, after, fields: ['programs'] },
      { change: 'removed', before: QUORVINA },
    ]),
  );
  expect(changes).toEqual({ ids: new Set(['inv-3', 'inv-1', 'inv-2']), entities: [MIRKO] });
});

it('gives up above 20,000 changes, so that everyone is screened', async () => {
  const removed = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ change: 'removed' as const, before: { ...MIRKO, id: `inv-${at}` } }));
  expect((await readChanges(each(removed(20_000))))?.ids.size).toBe(20_000);
  expect(await readChanges(each(removed(20_001)))).toBeUndefined();
});
