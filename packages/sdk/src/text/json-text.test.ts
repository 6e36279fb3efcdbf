// Requests with values that exceed JavaScript's numbers.
import { describe, expect, it, onTestFinished } from 'vitest';
import { jsonText, writeJson } from './json-text.ts';

describe('writing', () => {
  it('equals JSON.stringify for ordinary values', () => {
    const value = { a: [1, null, undefined, 'x'], b: undefined, at: new Date(0), 'json-text-': { toJSON: () => 5 } };
    expect(writeJson(value)).toBe(JSON.stringify(value));
  });

  it('writes BigInts as integers at any depth', () => {
    const huge = 2n ** 64n - 1n;
    expect(writeJson({ order: 9007199254740993n, deep: [{ huge, less: -huge }] })).toBe(
      '{"order":9007199254740993,"deep":[{"huge":18446744073709551615,"less":-18446744073709551615}]}',
    );
  });

  it('does not write BigInts as strings if they have a global toJSON', () => {
    const prototype = BigInt.prototype as { toJSON?: () => unknown };
    onTestFinished(() => void delete prototype.toJSON);
    prototype.toJSON = function (this: bigint) {
      return this.toString();
    };
    expect(writeJson({ order: 9007199254740993n, all: [1n] })).toBe('{"order":9007199254740993,"all":[1]}');
    expect(writeJson(5n)).toBe('5');
  });

  it('keeps a text byte for byte, including replacement patterns', () => {
    const text = '{ "9":1.10, "1":"$& $1", "e":1E400 }';
    expect(writeJson({ a: jsonText(text), b: [jsonText('1.0'), 1n] })).toBe(`{"a":${text},"b":[1.0,1]}`);
  });

  it('yields the value of a text for other serializers', () => {
    expect(JSON.stringify({ metadata: jsonText('{ "n": 1.10 }') })).toBe('{"metadata":{"n":1.1}}');
  });
});

it.each(['{ secret', '', '1n', undefined, { order: 1 }])('rejects %j without quoting it', (given) => {
  expect(() => jsonText(given as string)).toThrow(
    new TypeError('jsonText takes a JSON text, such as \'{"order":9007199254740993}\''),
  );
});
