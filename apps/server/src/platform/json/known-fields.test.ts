// Fields that a schema defines for a body, and the cost of naming the unknown ones.
import { CreateAgeSessionRequest, WatchSubjectRequest } from '@limen/contract';
import { describe, expect, it } from 'vitest';
import { createNameFinder, explainSome } from '../names/name-finder.ts';
import { normalizeFields, pickKnownFields, unknownFields, writeKnownFields } from './known-fields.ts';

const keys = (count: number, name: (at: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), 1]));

describe('unknown fields', () => {
  it.each([
    ['at the top', keys(50_000, (at) => `dateOfBirth${at}`)],
    ['in a part', { identifiers: [keys(50_000, (at) => `valeu${at}`)] }],
  ])('get at most ten suggestions, however many there are: %s', (_, body) => {
    let searched = 0;
    const { explained, hasMore } = explainSome(
      unknownFields(WatchSubjectRequest, body, 'body'),
      10,
      ({ name, findMeant }) => {
        searched += 1;
        return [name, findMeant()];
      },
    );
    expect([explained.length, hasMore, searched]).toEqual([10, true, 10]);
  });

  it('cost as many comparisons for fifty thousand as for ten', () => {
    let compared = 0;
    const find = createNameFinder(Object.keys(WatchSubjectRequest.properties), () => {
      compared += 1;
      return 0;
    });
    const compareAll = (count: number) => {
      compared = 0;
      const body = keys(count, (at) => `dateOfBrith${at}`);
      explainSome(unknownFields(WatchSubjectRequest, body, 'body'), 10, ({ name }) => find(name));
      return compared;
    };
    const inTen = compareAll(10);
    expect(inTen).toBeGreaterThan(10);
    expect(inTen).toBeLessThan(10 * 100);
    expect(compareAll(50_000)).toBe(inTen);
  });

  it('are ignored beyond the maximum length of a list', () => {
    const identifiers = Array.from({ length: 1_000 }, () => ({ shoe: 1 }));
    expect([...unknownFields(WatchSubjectRequest, { identifiers }, 'body')]).toHaveLength(20);
  });
});

it('keeps null where the schema allows it', () => {
  const field = { anyOf: [{ type: 'string' }, { type: 'null' }] };
  const schema = {
    type: 'object',
    properties: { a: field, b: { type: ['string', 'null'] }, c: {}, d: { type: 'string' } },
  };
  const body = { a: null, b: null, c: null, d: null };
  normalizeFields(schema, body, 'body');
  expect(body).toEqual({ a: null, b: null, c: null });
});

it('keeps known fields at every level, in their order', () => {
  const body = { name: 'a', shoe: 1, identifiers: [{ issuer: 1, value: 'b' }], reference: 'c' };
  const kept = pickKnownFields(WatchSubjectRequest, body);
  expect(JSON.stringify(kept)).toBe('{"name":"a","identifiers":[{"value":"b"}],"reference":"c"}');
});

it('keeps free-form values as raw text, even inside other fields', () => {
  const text = '{"metadata": {"a": 1.10}, "callback": {"headers": { "b":"c"}, "url": "d"}, "shoe": 1}';
  expect(writeKnownFields(CreateAgeSessionRequest, JSON.parse(text), text)).toBe(
    '{"callback":{"url":"d","headers":{ "b":"c"}},"metadata":{"a": 1.10}}',
  );
});
