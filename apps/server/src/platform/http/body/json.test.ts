// How deep a JSON body may go, and how many fields and list entries it may have.
import { JSON_DEPTH_MAX, JSON_MEMBERS_MAX } from '@limen/contract';
import { describe, expect, it } from 'vitest';
import { isLargeBody, LARGE_BODY_BYTES, parseJson } from './json.ts';

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('a body that is nested', () => {
  it('as deep as is allowed is taken, and one level more is refused', () => {
    expect(JSON.stringify(parseJson(Buffer.from(nested(JSON_DEPTH_MAX))))).toBe(nested(JSON_DEPTH_MAX));
    expect(() => parseJson(Buffer.from(nested(JSON_DEPTH_MAX + 1)))).toThrow(/deeper than 200 levels/);
    const objects = `${'{"a":'.repeat(JSON_DEPTH_MAX + 1)}1${'}'.repeat(JSON_DEPTH_MAX + 1)}`;
    expect(() => parseJson(Buffer.from(objects))).toThrow(/deeper/);
  });

  it('in its text alone is not nested at all', () => {
    for (const text of ['['.repeat(1_000), '\\"['.repeat(1_000), '\\'.repeat(999)]) {
      const body = JSON.stringify({ first: text, second: [text] });
      expect(parseJson(Buffer.from(body))).toEqual({ first: text, second: [text] });
    }
  });

  it('again and again, but never deep, is taken', () => {
    const wide = `[${Array(5_000).fill('[{}]').join(',')}]`;
    expect(parseJson(Buffer.from(wide))).toHaveLength(5_000);
  });
});

describe('a body with many members', () => {
  const TOO_MANY = /^The body has more than 50000 fields and list entries\.$/;
  const parse = (text: string) => parseJson(Buffer.from(text));
  const list = (count: number, entry = '1') => `[${Array(count).fill(entry).join(',')}]`;
  const fields = (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at}":1`).join(',')}}`;
  /** `outer` entries with `inner` entries each. */
  const nestedLists = (outer: number, inner: number) => list(outer, list(inner));

  it.each([
    ['list entries', list(JSON_MEMBERS_MAX), list(JSON_MEMBERS_MAX + 1)],
    ['fields', fields(JSON_MEMBERS_MAX), fields(JSON_MEMBERS_MAX + 1)],
    ['empty lists', list(JSON_MEMBERS_MAX, '[]'), list(JSON_MEMBERS_MAX + 1, '[]')],
    ['empty objects', list(JSON_MEMBERS_MAX, '{}'), list(JSON_MEMBERS_MAX + 1, '{}')],
    ['entries of many lists', nestedLists(500, 99), nestedLists(500, 100)],
  ])('of %s is taken up to the bound and refused beyond it', (_, whole, excessive) => {
    expect(JSON.stringify(parse(whole))).toBe(whole);
    expect(() => parse(excessive)).toThrow(TOO_MANY);
  });

  it('is refused before the rest of its bytes is looked at', () => {
    expect(() => parse(`${list(JSON_MEMBERS_MAX + 1)} no JSON`)).toThrow(TOO_MANY);
  });

  it('counts nothing that stands in a text', () => {
    const text = JSON.stringify({ [',{'.repeat(JSON_MEMBERS_MAX)]: '"[,'.repeat(JSON_MEMBERS_MAX) });
    expect(JSON.stringify(parse(text))).toBe(text);
  });

  it('of an encrypted enrollment at its largest is taken', () => {
    const vector = list(512, '-0.1234567890123456');
    const features = list(64, `{"type":"face","embedding_vector":${vector}}`);
    expect(parse(features)).toHaveLength(64);
  });
});

it('a body is large beyond 64 KiB, as an object or a list', () => {
  const parse = (text: string) => isLargeBody(parseJson(Buffer.from(text)));
  const bytes = LARGE_BODY_BYTES - '{"a":""}'.length;
  expect(parse(JSON.stringify({ a: 'x'.repeat(bytes) }))).toBe(false);
  expect(parse(JSON.stringify({ a: 'x'.repeat(bytes + 1) }))).toBe(true);
  expect(parse(JSON.stringify(['x'.repeat(LARGE_BODY_BYTES)]))).toBe(true);
});
