// Parsing and refusing a line of an import.
import { describe, expect, it } from 'vitest';
import { readRow } from './import-row.ts';

const SECRET = 'Elsa Lund';
const face = Array.from({ length: 128 }, (_, i) => Math.sin((i + 1) * (i + 1) * 1.37));
const opposite = face.map((value) => -value);

function read(content: unknown) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return readRow({ number: 1, bytes: Buffer.from(text), end: 0 }, 'FACE3_1');
}

describe('parseRow', () => {
  it.each([
    ['an embedding', { embedding_vector: face, type: 'x' }, 1],
    ['a Feature object, as in a request', { features: { embedding_vector: face } }, 1],
    ['several', { features: [{ embedding_vector: face }, { embedding_vector: face }] }, 2],
    ['several of which one is somebody else', { features: [face, face, opposite].map(asFeature) }, 2],
  ])('accepts %s', (_, row, count) => {
    const person = read(row);
    expect(person).toMatchObject({ kind: 'person', modelVersion: 'FACE3_1', identifier: undefined });
    expect(person.kind === 'person' && person.vectors.map(({ length }) => length)).toEqual(Array(count).fill(128));
  });

  it('reads person and version', () => {
    const row = read({ embedding_vector: face, metadata: { id: 'é'.repeat(256) }, version: 'FACE4' });
    expect(row).toMatchObject({ kind: 'person', identifier: 'é'.repeat(256), modelVersion: 'FACE4' });
  });

  it('accepts a byte order mark at the start and a carriage return at the end', () => {
    expect(read(`\ufeff${JSON.stringify({ embedding_vector: face })}\r`).kind).toBe('person');
    expect(['', ' \t\r'].map((blank) => read(blank).kind)).toEqual(['empty', 'empty']);
  });

  it.each([
    ['it is not usable JSON', `{"metadata":{"id":"${SECRET}"`],
    ['forbidden key', `{"__proto__":{"id":"${SECRET}"}}`],
    ['the line must be an object', [face]],
    ['it has neither embedding_vector nor features', { metadata: { id: SECRET } }],
    ['it has both', { embedding_vector: face, features: [] }],
    ['embedding_vector must have 128 to 512 numbers; it has 127', { embedding_vector: face.slice(1) }],
    ['embedding_vector[127] must be a number', { embedding_vector: [...face.slice(1), SECRET] }],
    ['features holds no Feature object', { features: [] }],
    ['at most 64', { features: Array(65).fill(asFeature(face)) }],
    ['the same length', { features: [asFeature(face), asFeature([...face, 1])] }],
    ['features must be a Feature object', { features: SECRET }],
    ['metadata must be an object', { embedding_vector: face, metadata: SECRET }],
    ['metadata.id must be a string of 1 to 256 characters', { embedding_vector: face, metadata: { id: '' } }],
    ['metadata.id must be a string', { embedding_vector: face, metadata: { id: SECRET.repeat(30) } }],
    ['version must be 1 to 32 capital letters', { embedding_vector: face, version: SECRET }],
    ['version must be a string', { embedding_vector: face, version: 3 }],
  ])('rejects a broken line without quoting it: %s', (reason, row) => {
    const refused = read(row);
    expect(refused).toEqual({ kind: 'broken', reason: expect.stringContaining(reason) });
    expect(JSON.stringify(refused)).not.toContain('Elsa');
  });

  it('rejects a line that is too long or not UTF-8', () => {
    const bytes = Buffer.from([0x7b, 0xff, 0x7d]);
    expect(readRow({ number: 1, bytes, end: 3 }, 'FACE3_1')).toMatchObject({
      reason: expect.stringContaining('UTF-8'),
    });
    const reason = 'longer than 1048576 bytes';
    expect(readRow({ number: 1, bytes: undefined, end: 3 }, 'FACE3_1')).toEqual({ kind: 'broken', reason });
  });

  it.each([
    ['zeros', [Array(128).fill(0)]],
    ['strangers', [face, opposite]],
  ])('treats a line of %s as unusable', (_, vectors) => {
    expect(read({ features: vectors.map(asFeature) }).kind).toBe('unusable');
  });
});

function asFeature(vector: unknown) {
  return { embedding_vector: vector };
}
