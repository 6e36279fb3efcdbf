// Properties of every loader for arbitrary bytes: it never throws, and chunk boundaries have no
// effect.

import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LISTS } from '../../testing/lists/lists.ts';
import { type Files, type Loaded, loadBytes } from '../../testing/lists/load-bytes.ts';
import { createLoadReport, LIST_FORMATS, type ListFormat, loadList } from './load-list.ts';

const numRuns = onlyWhenLong(5_000, 50);
/** Fragments of quoting and nesting errors. */
const POISON = [
  '"',
  '\n',
  '\r',
  ',',
  ';',
  '\u0000',
  '\u001a',
  '<',
  '>',
  '</INDIVIDUAL>',
  '<ENTITY>',
  '{',
  '\\',
  ']]>',
  '&',
];

const GROUPED: ListFormat[] = ['eu-csv', 'uk-csv'];

function checkLoaded(format: ListFormat, { entities, report }: Loaded): void {
  expect(report.entities).toBe(entities.length);
  expect(report.problems.length).toBe(Math.min(50, report.problemCount));
  // In grouped formats, many rows make one entity.
  if (!GROUPED.includes(format)) expect(report.records).toBe(report.entities + report.skipped);
  else expect(report.entities).toBeLessThanOrEqual(report.records);
  for (const entity of entities) {
    expect(entity.names.length).toBeGreaterThan(0);
    for (const name of [...entity.names, ...entity.weakNames, entity.caption, entity.id]) {
      expect(name).toBe(name.trim());
      expect(name).toMatch(/^[^\p{Cc}]+$/u);
    }
    for (const date of entity.birthDates) expect(date).toMatch(/^\d{4}(-\d\d){0,2}(~|\/\d{4}(-\d\d){0,2})?$/);
  }
}

function cutAt(places: number[]): (bytes: Uint8Array) => Uint8Array[] {
  return (bytes) => {
    const ends = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
    return [...ends, bytes.length].map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
  };
}

function bytesOf(format: ListFormat): Buffer {
  return Buffer.from(LISTS[format].main);
}

/** The fixture with flipped bytes, removed pieces and inserted fragments. */
function mutate(format: ListFormat): fc.Arbitrary<Buffer> {
  const change = fc.record({
    at: fc.nat(),
    remove: fc.nat({ max: 60 }),
    insert: fc.oneof(
      fc.constant(Buffer.alloc(0)),
      fc.constantFrom(...POISON).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 4 }),
    ),
  });
  return fc.array(change, { minLength: 1, maxLength: 5 }).map((changes) => {
    let bytes = bytesOf(format);
    for (const { at, remove, insert } of changes) {
      const place = at % (bytes.length + 1);
      bytes = Buffer.concat([bytes.subarray(0, place), insert, bytes.subarray(place + remove)]);
    }
    return bytes;
  });
}

describe.each(LIST_FORMATS)('%s', (format) => {
  const load = (main: Uint8Array, cut?: (bytes: Uint8Array) => Uint8Array[]) => {
    const files: Files = { ...LISTS[format], main };
    return loadBytes(format, files, cut);
  };

  it('never throws on arbitrary bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async (bytes) => checkLoaded(format, await load(bytes))),
      { numRuns },
    );
  });

  it('never throws on a damaged list, and reads it the same for all chunk boundaries', async () => {
    await fc.assert(
      fc.asyncProperty(mutate(format), fc.array(fc.nat(), { maxLength: 20 }), async (bytes, places) => {
        const whole = await load(bytes);
        checkLoaded(format, whole);
        expect(await load(bytes, cutAt(places))).toEqual(whole);
      }),
      { numRuns },
    );
  });

  it('reads a long list the same for all block boundaries', async () => {
    // Longer than one block of the loaders, unlike small lists.
    const list = bytesOf(format);
    const copies = Array.from({ length: Math.ceil(300_000 / list.length) }, () => list.toString());
    const bytes = Buffer.from(copies.join('broken "\n'));
    const whole = await load(bytes);
    expect(whole.report.bytes).toBeGreaterThanOrEqual(300_000);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 8 }), async (places) => {
        expect(await load(bytes, cutAt(places))).toEqual(whole);
      }),
      { numRuns: onlyWhenLong(200, 3) },
    );
  });

  it('rethrows the error of a source that cannot be read', async () => {
    const failing = async function* () {
      yield bytesOf(format).subarray(0, 10);
      throw new Error('The disk is gone.');
    };
    const entities = loadList(format, { main: failing() }, 'x', createLoadReport());
    await expect(entities.next()).rejects.toThrow('The disk is gone.');
  });
});
