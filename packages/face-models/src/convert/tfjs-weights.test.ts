// Reading the weights of TensorFlow.js models.
import { expect, test } from 'vitest';
import { parseWeights } from './tfjs-weights.ts';

const float = { name: 'float', shape: [2], dtype: 'float32' };
const byte = { name: 'byte', shape: [1, 3], dtype: 'float32', quantization: { dtype: 'uint8', scale: 0.5, min: -50 } };
const index = { name: 'index', shape: [1], dtype: 'int32' };

const content = Buffer.concat([Buffer.from(Float32Array.of(1.5, -2).buffer), Buffer.of(0, 100, 255), Buffer.alloc(4)]);
const parse = (entries: object[], bytes = content) => parseWeights([{ weights: entries }], bytes);

test('floats and bytes are read in their order', () => {
  const weights = parse([float, byte, index]);
  expect(weights.floats('float').values).toEqual(Float32Array.of(1.5, -2));
  expect(weights.get('byte')).toMatchObject({ kind: 'uint8', shape: [1, 3], scale: 0.5, zeroPoint: 100 });
  expect(weights.floats('byte').values).toEqual(Float32Array.of(-50, 0, 77.5));
});

test('bytes are a copy that can be reordered', () => {
  const weight = parse([float, byte, index]).get('byte');
  weight.values[0] = 9;
  expect(content[8]).toBe(0);
});

test.each<[string, object[], string]>([
  ['too few bytes', [float, byte, index, float], 'end too early'],
  ['too many bytes', [float, byte], '4 bytes of weights are left over'],
  ['an unknown type', [{ ...float, dtype: 'string' }], 'float is stored in a way that is not known: string'],
  ['an unknown quantisation', [{ ...byte, quantization: { dtype: 'uint16', scale: 1, min: 0 } }], 'not known: uint16'],
  ['no place for zero', [float, { ...byte, quantization: { dtype: 'uint8', scale: 0.3, min: -50 } }], 'has no zero'],
  ['a size that is none', [{ ...float, shape: [Number.NaN] }], 'end too early'],
])('%s: refused', (_, entries, message) => {
  expect(() => parse(entries)).toThrow(message);
});

test('asking for weights that are not there is refused by name', () => {
  expect(() => parse([float, byte, index]).get('other')).toThrow('no weights named other');
});
