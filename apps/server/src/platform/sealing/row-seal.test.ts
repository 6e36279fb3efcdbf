// Row seals: their canonical form, and the cache of verified rows.
import { expect, it } from 'vitest';
import { TEST_SEALER } from '#testing/test-sealer.ts';
import { editedRows } from './edited-rows.ts';
import { createRowSeal, type SealedRow } from './row-seal.ts';

interface Row extends SealedRow {
  id: string;
  count: number;
  note: string | null;
  bytes: Uint8Array;
}

const ROW = { id: 'a', count: 1, note: null, bytes: Buffer.of(1, 2) };
const EDITS: Partial<Row>[] = [
  ...[{ id: 'b' }, { count: 2 }, { note: '' }, { note: 'null' }, { bytes: Buffer.of(1, 3) }, { bytes: Buffer.of(1) }],
  { mac: Buffer.alloc(32) },
];

function openSeal(remembers: boolean, table = 'rows') {
  const told: string[] = [];
  const log = { error: ({ table, row }: { table: string; row: string }) => void told.push(`${table} ${row}`) };
  return { told, seal: createRowSeal<Row>(TEST_SEALER, table, { log, nameOf: ({ id }) => id, remembers }) };
}

it('covers the columns by name, whatever their order and whatever was sealed before', () => {
  const { seal } = openSeal(false);
  const text = '[["bytes",{"base64":"AQI="}],["count",1],["id","a"],["note",null]]';
  const mac = TEST_SEALER.digest('rows/rows', text);
  expect(seal.sign(ROW).mac).toEqual(mac);
  const { id, ...rest } = ROW;
  expect(seal.sign({ ...rest, id }).mac).toEqual(mac);
  expect(seal.holds({ mac, ...ROW })).toBe(true);
  expect(seal.holds({ ...ROW, mac, added: 1 } as Row)).toBe(false);
});

it.each(['a\ud800', '\udc00', 'a\0'])('refuses text that no database keeps: %j', (note) => {
  expect(() => openSeal(false).seal.sign({ ...ROW, note })).toThrow('rows.note must not contain');
});

it.each([true, false])('never accepts an edited row in place of a cached valid one (cached: %s)', (remembers) => {
  const table = remembers ? 'remembered' : 'rows';
  const { seal, told } = openSeal(remembers, table);
  const whole = seal.sign(ROW);
  for (const edit of EDITS) {
    expect(seal.ifWhole({ ...whole })).toEqual(whole);
    expect(seal.ifWhole({ ...whole, ...edit }), JSON.stringify(edit)).toBeUndefined();
  }
  expect(seal.ifWhole({ ...whole, added: 1 } as Row)).toBeUndefined();
  expect(seal.ifWhole(undefined)).toBeUndefined();
  // Each row is reported once, however often it is read.
  expect(told).toEqual([`${table} b`, `${table} a`]);
  expect(editedRows().get(table)).toBe(told.length);
  const changed = seal.sign({ ...ROW, count: 2 });
  expect(seal.ifWhole(changed)).toEqual(changed);
});
