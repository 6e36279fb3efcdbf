import { expect, test } from 'vitest';
import { parseWeights } from './tfjs-weights.ts';

const float = { name: 'float', shape: [2], dtype: 'float32' };
const byte = { name: 'byte', shape: [1, 3], dtype: 'float32', quantization: { dtype: 'uint8', scale: 0.5, min: -50 } };
const index = { name: 'index', shape: [1], dtype: 'int32' };

const content = Buffer.concat([Buffer.from(Float32Array.of(1.5, -2).buffer), Buffer.of(0, 100, 255), Buffer.alloc(4)]);
const parse = (entries: object[], bytes = content) => parseWeights([{ weights: entries }], bytes);

test('reads floats and bytes in order', () => {
  const weights = parse([float, byte, index]);
  expect(weights.floats('float').values).toEqual(Float32Array.of(1.5, -2));
  expect(weights.get('byte')).toMatchObject({ kind: 'uint8', shape: [1, 3], scale: 0.5, zeroPoint: 100 });
  expect(weights.floats('byte').values).toEqual(Float32Array.of(-50, 0, 77.5));
});

test('returns a copy of bytes that can be reordered', () => {
  const weight = parse([float, byte, index]).get('byte');
  weight.values[0] = 9;
  expect(content[8]).toBe(0);
});

test.each<[string, object[], string]>([
  ['too few bytes', [float, byte, index, float], 'end too early'],
  ['too many bytes', [float, byte], '4 unread bytes of weights remain'],
  ['an unknown type', [{ ...float, dtype: 'string' }], 'float has an unknown storage format: string'],
  [
    'an unknown quantization',
    [{ ...byte, quantization: { dtype: 'uint16', scale: 1, min: 0 } }],
    'unknown storage format: uint16',
  ],
  ['no place for zero', [float, { ...byte, quantization: { dtype: 'uint8', scale: 0.3, min: -50 } }], 'has no zero'],
  ['an invalid size', [{ ...float, shape: [Number.NaN] }], 'end too early'],
])('rejects %s', (_, entries, message) => {
  expect(() => parse(entries)).toThrow(message);
});

test('rejects unknown weights by name', () => {
  expect(() => parse([float, byte, index]).get('other')).toThrow('no weights named other');
});
