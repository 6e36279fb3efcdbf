// Reads the weights of a TensorFlow.js model: a list of names and shapes, and one file with their values in that order.

export interface FloatWeight {
  kind: 'float32';
  shape: number[];
  values: Float32Array;
}

/** Each stands for (value − zeroPoint) × scale. */
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

/** `groups` is the `weightsManifest` of a graph model, or the whole file of an older one. */
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
      throw new Error(`${name} is stored in a way that is not known: ${quantization?.dtype ?? dtype}`);
    }
  }
  if (offset !== content.length) throw new Error(`${content.length - offset} bytes of weights are left over`);

  const get = (name: string): Weight => {
    const weight = weights.get(name);
    if (!weight) throw new Error(`there are no weights named ${name}`);
    return weight;
  };
  return {
    get,
    /** As floats, whatever the file holds. */
    floats: (name: string): FloatWeight => toFloats(get(name)),
  };
}

/** The file gives the smallest value; quantising is exact only where zero has a place on the grid. */
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
