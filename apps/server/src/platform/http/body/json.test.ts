// Limits on the depth, fields and list entries of a JSON body.
import { JSON_DEPTH_MAX, JSON_MEMBERS_MAX } from '@limen/contract';
import { describe, expect, it } from 'vitest';
import { isLargeBody, LARGE_BODY_BYTES, parseJson } from './json.ts';

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('a nested body', () => {
  it('is accepted at the maximum depth and refused one level deeper', () => {
    expect(JSON.stringify(parseJson(Buffer.from(nested(JSON_DEPTH_MAX))))).toBe(nested(JSON_DEPTH_MAX));
    expect(() => parseJson(Buffer.from(nested(JSON_DEPTH_MAX + 1)))).toThrow(/deeper than 200 levels/);
    const objects = `${'{"a":'.repeat(JSON_DEPTH_MAX + 1)}1${'}'.repeat(JSON_DEPTH_MAX + 1)}`;
    expect(() => parseJson(Buffer.from(objects))).toThrow(/deeper/);
  });

  it('ignores brackets inside strings', () => {
    for (const text of ['['.repeat(1_000), '\\"['.repeat(1_000), '\\'.repeat(999)]) {
      const body = JSON.stringify({ first: text, second: [text] });
      expect(parseJson(Buffer.from(body))).toEqual({ first: text, second: [text] });
    }
  });

  it('may nest often if it never nests deep', () => {
    const wide = `[${Array(5_000).fill('[{}]').join(',')}]`;
    expect(parseJson(Buffer.from(wide))).toHaveLength(5_000);
  });
});

describe('a body with many members', () => {
  const TOO_MANY = /^The body has more than 50000 fields and list entries\.$/;
  const parse = (text: string) => parseJson(Buffer.from(text));
  const list = (count: number, entry = '1') => `[${Array(count).fill(entry).join(',')}]`;
  const fields = (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at}":1`).join(',')}}`;
  /** Returns `outer` entries with `inner` entries each. */
  const nestedLists = (outer: number, inner: number) => list(outer, list(inner));

  it.each([
    ['list entries', list(JSON_MEMBERS_MAX), list(JSON_MEMBERS_MAX + 1)],
    ['fields', fields(JSON_MEMBERS_MAX), fields(JSON_MEMBERS_MAX + 1)],
    ['empty lists', list(JSON_MEMBERS_MAX, '[]'), list(JSON_MEMBERS_MAX + 1, '[]')],
    ['empty objects', list(JSON_MEMBERS_MAX, '{}'), list(JSON_MEMBERS_MAX + 1, '{}')],
    ['entries of many lists', nestedLists(500, 99), nestedLists(500, 100)],
  ])('of %s is accepted up to the limit and refused above it', (_, whole, excessive) => {
    expect(JSON.stringify(parse(whole))).toBe(whole);
    expect(() => parse(excessive)).toThrow(TOO_MANY);
  });

  it('is refused before its remaining bytes are parsed', () => {
    expect(() => parse(`${list(JSON_MEMBERS_MAX + 1)} no JSON`)).toThrow(TOO_MANY);
  });

  it('ignores members inside strings', () => {
    const text = JSON.stringify({ [',{'.repeat(JSON_MEMBERS_MAX)]: '"[,'.repeat(JSON_MEMBERS_MAX) });
    expect(JSON.stringify(parse(text))).toBe(text);
  });

  it('of the largest encrypted enrollment is accepted', () => {
    const vector = list(512, '-0.1234567890123456');
    const features = list(64, `{"type":"face","embedding_vector":${vector}}`);
    expect(parse(features)).toHaveLength(64);
  });
});

it('counts an object or list over 64 KiB as large', () => {
  const parse = (text: string) => isLargeBody(parseJson(Buffer.from(text)));
  const bytes = LARGE_BODY_BYTES - '{"a":""}'.length;
  expect(parse(JSON.stringify({ a: 'x'.repeat(bytes) }))).toBe(false);
  expect(parse(JSON.stringify({ a: 'x'.repeat(bytes + 1) }))).toBe(true);
  expect(parse(JSON.stringify(['x'.repeat(LARGE_BODY_BYTES)]))).toBe(true);
});
