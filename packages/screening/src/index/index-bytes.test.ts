import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listed } from '../../testing/small-list.ts';
import { createScreener, readQuery } from '../index.ts';
import { IndexBuilder } from './build-index.ts';
import { deserializeIndex, IndexFileError, recoverEntities, serializeIndex } from './index-bytes.ts';
import { INDEX_LAYOUT, listEntities } from './screening-index.ts';

const entities = [
  listed(['Orsolya Vántus', 'Вантуш Оршоя'], {
    birthDates: ['1971-05-04', '1970~'],
    weakNames: ['Orsi'],
    topics: ['role.pep'],
  }),
  listed('Marwan Dellaji', {
    caption: 'DELLAJI, Marwan',
    countries: ['tn'],
    programs: ['P-1'],
    lastChange: '2026-01-01',
  }),
  listed('Harbour Lantern', {
    schema: 'Vessel',
    nationalities: ['pa'],
    addresses: ['1 Quay, Colón'],
    positions: ['Captain of the port'],
    identifiers: [
      { kind: 'imoNumber', value: 'IMO 9074729' },
      { kind: 'callSign', value: 'HP12' },
    ],
    referents: ['old-1'],
    firstSeen: '2020-01-01',
    lastSeen: '2026-02-02',
  }),
];

function build() {
  const builder = new IndexBuilder();
  for (const entity of entities) builder.add(entity);
  return builder.finish();
}

const bytes = Buffer.concat(serializeIndex(build()).map((part) => Buffer.from(part)));
function reader(source: Uint8Array) {
  let at = 0;
  return async (into: Uint8Array) => {
    if (at + into.length > source.length) throw new RangeError('the file ends too early');
    into.set(source.subarray(at, at + into.length));
    at += into.length;
  };
}

describe('serialized index', () => {
  test('restores the index', async () => {
    const index = await deserializeIndex(reader(bytes));
    expect([...listEntities(index)]).toEqual(entities);
    const query = readQuery({ firstName: 'Marwan', lastName: 'Dellaji', birthDate: '' });
    expect(createScreener(index).screen(query, { limit: 5, topic: 'all' })).toMatchObject([{ entity: 1 }]);
  });

  test('deserializes into memory that threads share', async () => {
    const { sections } = await deserializeIndex(reader(bytes));
    for (const section of Object.values(sections)) expect(section.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  test('gives its records to a later layout', async () => {
    // Same length, because the head contains offsets.
    const layout = '0'.padStart(String(INDEX_LAYOUT).length);
    const text = bytes.toString('latin1').replace(`"layout":${INDEX_LAYOUT}`, `"layout":${layout}`);
    const older = Buffer.from(text, 'latin1');
    await expect(deserializeIndex(reader(older))).rejects.toMatchObject({ rebuildable: true });
    expect([...(await recoverEntities(reader(older)))]).toEqual(entities);
  });

  test('rejects damaged files instead of treating them as empty', async () => {
    await expect(deserializeIndex(reader(Buffer.alloc(100)))).rejects.toThrow(IndexFileError);
    await expect(deserializeIndex(reader(bytes.subarray(0, bytes.length - 1)))).rejects.toThrow(RangeError);
    await fc.assert(
      fc.asyncProperty(fc.nat(400), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const damaged = Buffer.from(bytes);
        damaged[at % Math.min(400, damaged.length)]! ^= change;
        await deserializeIndex(reader(damaged)).catch((error: unknown) => expect(error).toBeInstanceOf(Error));
      }),
    );
  });
});
