// Reads the weights of a TensorFlow.js model: names and shapes, and one file with their values in
// order.

export interface FloatWeight {
  kind: 'float32';
  shape: number[];
  values: Float32Array;
}

/** A value is (byte − zeroPoint) × scale. */
export interface ByteWeight {
  kind: 'uint8';
  shape: number[];
  values: Uint8Array;
  scale: number;
  zeroPoint: number;
}

export type Weight = FloatWeight | ByteWeight;

interface WeightEntry {
  name: string;
  shape: number[];
  dtype: string;
  quantization?: { dtype: string; scale: number; min: number };
}

/** `groups`: the `weightsManifest` of a graph model, or the whole file of an older one. */
export function parseWeights(groups: unknown, content: Buffer) {
  const weights = new Map<string, Weight>();
  let offset = 0;
  const take = (length: number): Buffer => {
    if (!(offset + length <= content.length)) throw new Error('the weights end too early');
    offset += length;
    return content.subarray(offset - length, offset);
  };
  for (const entry of (groups as { weights: WeightEntry[] }[]).flatMap((group) => group.weights)) {
    const { name, shape, dtype, quantization } = entry;
    const length = shape.reduce((product, size) => product * size, 1);
    if (quantization?.dtype === 'uint8') {
      const { scale, min } = quantization;
      weights.set(name, {
        kind: 'uint8',
        shape,
        values: Uint8Array.from(take(length)),
        scale,
        zeroPoint: findZeroPoint(name, scale, min),
      });
    } else if (!quantization && dtype === 'float32') {
      const bytes = take(length * 4);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      const values = Float32Array.from({ length }, (_, index) => view.getFloat32(index * 4, true));
      weights.set(name, { kind: 'float32', shape, values });
    } else if (!quantization && dtype === 'int32') {
      take(length * 4); // parameters of operators, which the converters know
    } else {
      throw new Error(`${name} has an unknown storage format: ${quantization?.dtype ?? dtype}`);
    }
  }
  if (offset !== content.length) throw new Error(`${content.length - offset} unread bytes of weights remain`);

  const get = (name: string): Weight => {
    const weight = weights.get(name);
    if (!weight) throw new Error(`there are no weights named ${name}`);
    return weight;
  };
  return {
    get,
    /** Converts any storage format to floats. */
    floats: (name: string): FloatWeight => toFloats(get(name)),
  };
}

/** Converts the minimum to a zero point. Quantization is exact only if zero is on the grid. */
function findZeroPoint(name: string, scale: number, min: number): number {
  const exact = -min / scale;
  const zeroPoint = Math.round(exact);
  if (!(Math.abs(exact - zeroPoint) < 1e-6 && zeroPoint >= 0 && zeroPoint <= 255))
    throw new Error(`${name} has no zero among its 256 values`);
  return zeroPoint;
}

function toFloats(weight: Weight): FloatWeight {
  if (weight.kind === 'float32') return weight;
  const { shape, scale, zeroPoint } = weight;
  return { kind: 'float32', shape, values: Float32Array.from(weight.values, (value) => (value - zeroPoint) * scale) };
}
