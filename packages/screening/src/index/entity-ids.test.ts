import { expect, test } from 'vitest';
import { listed } from '../../testing/small-list.ts';
import { IndexBuilder } from './build-index.ts';
import { findEntity } from './entity-ids.ts';

const entities = [
  listed('Marwan Dellaji', { id: 'NK-1', referents: ['ofac-7', 'NK-2'] }),
  listed('Orsolya Vántus', { id: 'NK-2', referents: ['un-ü'] }),
  listed('Harbour Lantern', { id: 'NK-3', referents: Array.from({ length: 80 }, (_, at) => `many-${at}`) }),
];
const builder = new IndexBuilder();
for (const entity of entities) builder.add(entity);
const index = builder.finish();

test.each([
  ['NK-1', 'NK-1'],
  ['ofac-7', 'NK-1'],
  ['un-ü', 'NK-2'],
  ['NK-2', 'NK-2'], // a current id takes precedence over another entity's former id
  ['many-49', 'NK-3'],
  ['many-50', undefined],
  ['nk-1', undefined],
  ['', undefined],
])('resolves %j to %s', (id, found) => {
  expect(findEntity(index, id)?.id).toBe(found);
});
