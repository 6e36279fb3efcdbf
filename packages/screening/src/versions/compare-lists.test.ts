// The reported difference of two versions must turn one into the other.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listed } from '../../testing/small-list.ts';
import type { ListedEntity } from '../entity.ts';
import { IndexBuilder } from '../index/build-index.ts';
import { compareLists, type EntityChange, recordsOf } from './compare-lists.ts';

async function compare(before: ListedEntity[], after: ListedEntity[]): Promise<EntityChange[]> {
  const changes: EntityChange[] = [];
  for await (const change of compareLists(recordsOf(build(before)), recordsOf(build(after)))) changes.push(change);
  return changes;
}

function build(entities: ListedEntity[]) {
  const builder = new IndexBuilder();
  for (const entity of entities) builder.add(entity);
  return builder.finish();
}

const imre = listed('Imre Valdor', { id: 'a', lastSeen: '2026-01-01' });
const orla = listed('Orla "Quill" Feather', { id: 'b"\\', birthDates: ['1971'] });
const tam = listed('Tam Oxbarrow', { id: 'c' });

describe('compareLists', () => {
  it('reports added, changed and removed entities, with the changed fields', async () => {
    const later = { ...orla, birthDates: ['1972'], countries: ['is'] };
    expect(await compare([imre, orla], [tam, later])).toEqual([
      { change: 'added', after: tam },
      { change: 'changed', before: orla, after: later, fields: ['birthDates', 'countries'] },
      { change: 'removed', before: imre },
    ]);
  });

  it('ignores the order and the last-seen times', async () => {
    expect(await compare([imre, orla, tam], [tam, { ...imre, lastSeen: '2026-02-02' }, orla])).toEqual([]);
  });

  it('accepts empty versions', async () => {
    expect(await compare([], [imre])).toEqual([{ change: 'added', after: imre }]);
    expect(await compare([imre], [])).toEqual([{ change: 'removed', before: imre }]);
    expect(await compare([], [])).toEqual([]);
  });

  it('leads from the old version to the new one, for any two', async () => {
    const entity = fc.record({ id: fc.constantFrom('a', 'b', 'c"', 'd\\', 'é'), name: fc.constantFrom('Orla', 'Tam') });
    const list = fc
      .uniqueArray(entity, { selector: ({ id }) => id, maxLength: 5 })
      .map((entities) => entities.map(({ id, name }) => listed(name, { id })));
    await fc.assert(
      fc.asyncProperty(list, list, async (before, after) => {
        const patched = new Map(before.map((one) => [one.id, one]));
        for (const change of await compare(before, after)) {
          if (change.change === 'removed') patched.delete(change.before.id);
          else patched.set(change.after.id, change.after);
        }
        expect([...patched.values()].toSorted(byId)).toEqual(after.toSorted(byId));
      }),
    );
  });
});

function byId(a: ListedEntity, b: ListedEntity): number {
  return a.id < b.id ? -1 : 1;
}
