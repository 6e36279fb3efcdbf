// The original text of a member, at any place and with any content.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyObjectText } from '../../../../apps/server/testing/json-texts.ts';
import { findMemberText } from './member-text.ts';

const find = (json: string) => findMemberText(json, 'metadata');

describe('the text of a member', () => {
  it.each([
    ['{"metadata":{"a":1.10}}', '{"a":1.10}'],
    ['{ "a" : "}" , "metadata" : [ 1 , { } ] , "b" : 2 }', '[ 1 , { } ]'],
    ['{"other":{"metadata":1},"metadata":2}', '2'],
    ['{"metadata":"a\\"}\\\\","b":1}', '"a\\"}\\\\"'],
    ['{"metadata":-1.5e+3}', '-1.5e+3'],
    ['{"metadata":null\n}', 'null'],
    ['{"meta\\u0064ata":true}', 'true'],
    ['\uFEFF {"metadata":{}}', '{}'],
    ['{"metadata":{"first":1},"metadata":{"last":2}}', '{"last":2}'],
    ['{}', undefined],
    ['{"metadat":1,"x":{"metadata":2}}', undefined],
    ['[{"metadata":1}]', undefined],
    ['"metadata"', undefined],
  ])('of %j is %j', (json, text) => {
    expect(find(json)).toBe(text);
  });

  it('is found byte for byte in 1,000 random documents and parses to the member’s value', () => {
    const bodies = fc.tuple(anyObjectText, anyObjectText, fc.constantFrom('', ' ', '\n\t'));
    fc.assert(
      fc.property(bodies, ([text, before, space]) => {
        const body = `{"x":${before},"metadata":${before},"metadata"${space}:${space}${text}${space},"y":${before}}`;
        expect(find(body)).toBe(text);
        expect(JSON.parse(find(body)!)).toEqual((JSON.parse(body) as { metadata: unknown }).metadata);
      }),
      { numRuns: 1_000 },
    );
  });
});
