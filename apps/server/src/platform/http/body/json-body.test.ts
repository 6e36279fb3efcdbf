// How deep a JSON body may go: what would overflow whoever writes it out again never gets that far.
import { describe, expect, it } from 'vitest';
import { MAX_JSON_DEPTH, parseJson } from './json-body.ts';

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('a body that is nested', () => {
  it('as deep as is allowed is taken, and one level more is refused', () => {
    expect(JSON.stringify(parseJson(Buffer.from(nested(MAX_JSON_DEPTH))))).toBe(nested(MAX_JSON_DEPTH));
    expect(() => parseJson(Buffer.from(nested(MAX_JSON_DEPTH + 1)))).toThrow(/deeper than 200 levels/);
    const objects = `${'{"a":'.repeat(MAX_JSON_DEPTH + 1)}1${'}'.repeat(MAX_JSON_DEPTH + 1)}`;
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
