// Packs weights into panels for the kernels, directly from their stored integers.
import { type Kernel, PANEL } from '../kernel/kernel.ts';
import { countValues, isSameShape, refuse, type Values } from '../tensor.ts';
import { type Constant, padChannels } from './values.ts';
import { LEAST, type Workshop } from './workshop.ts';

/** Sum of the parts times their ratios, plus the offset, times the factors. */
interface Recipe {
  dims: readonly number[];
  parts: readonly { values: Values; ratio: number }[];
  offset: number;
  factors: Values;
}

/** Layout of the weights in the file and in the panels, counted in weights. */
export interface Packing {
  outputs: number;
  outputStep: number;
  inputs: number;
  inputStep: number;
  /** Positions of a window, adjacent in the file. */
  places: number;
  /** Distance between window positions in a row. */
  paddedInputs: number;
  /** A multiple of four, as the kernels require. */
  rowLength: number;
  axis: number;
}

const ONE = Float32Array.of(1);
/** More than any quantization needs. */
const MAX_PARTS = 4;

export function packWeights({ arena, kernel, floats }: Workshop, weights: Constant, packing: Packing): number {
  const { outputs, outputStep, inputs, inputStep, places, paddedInputs, rowLength } = packing;
  const recipe = findRecipe(weights, packing.axis) ?? readWhole(weights);
  if (countValues(recipe.dims) !== outputs * inputs * places)
    refuse('weights have another number of values than their shape says');
  const at = arena.keep(padChannels(outputs) * rowLength * 4);
  const factorsAt = arena.take(outputs * 4);
  for (const [index, { values, ratio }] of recipe.parts.entries()) {
    const [isFirst, isLast] = [index === 0, index === recipe.parts.length - 1];
    const from = arena.take(values.byteLength);
    const factors = floats().subarray(factorsAt / 4, factorsAt / 4 + outputs);
    if (isLast && recipe.factors.length > 1) factors.set(recipe.factors);
    else factors.fill(isLast ? recipe.factors[0]! : 1);
    new Uint8Array(arena.memory.buffer).set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), from);
    findPack(kernel, values)(
      ...([from, outputs, outputStep, inputs, inputStep, places, paddedInputs, rowLength, isFirst ? 0 : 1] as const),
      ...([factorsAt, at, ratio, isFirst ? recipe.offset : 0, isLast ? LEAST : 0] as const),
    );
    arena.giveBack(from);
  }
  arena.giveBack(factorsAt);
  return at;
}

function findPack(kernel: Kernel, values: Values): Kernel['packFloats'] {
  if (values instanceof Int16Array) return kernel.packShorts;
  if (values instanceof Int8Array) return kernel.packSignedBytes;
  return values instanceof Uint8Array ? kernel.packBytes : kernel.packFloats;
}

function readWhole(weights: Constant): Recipe {
  const { dims, values } = weights.read();
  const whole = values instanceof Float64Array ? new Float32Array(values) : values;
  return { dims, parts: [{ values: whole, ratio: 1 }], offset: 0, factors: ONE };
}

/** Returns undefined for other computations. Adds in the order of the file. */
function findRecipe(weights: Constant, axis: number): Recipe | undefined {
  const { operator, inputs = [] } = weights.made ?? {};
  const [first, second] = inputs;
  if (!first) return undefined;
  if (operator === 'Cast') return first.made ? undefined : readWhole(first);
  const inner = findRecipe(first, axis);
  if (!inner || !second || inner.factors !== ONE || second.dims.length > inner.dims.length) return undefined;
  if (operator === 'Add') {
    const added = findRecipe(second, axis);
    const isFit = added && added.factors === ONE && added.offset === 0 && isSameShape(added.dims, inner.dims);
    const parts = [...inner.parts, ...(added?.parts ?? [])];
    return isFit && parts.length <= MAX_PARTS ? { ...inner, parts } : undefined;
  }
  if (second.made) return undefined;
  const { dims, values } = second.read();
  if (values.length === 1) {
    const [value = 0] = values;
    if (operator === 'Sub') return { ...inner, offset: inner.offset - value };
    const isBare = inner.offset === 0 && inner.parts.length === 1 && inner.parts[0]!.ratio === 1;
    if (operator === 'Mul' && isBare && Number.isInteger(value))
      return { ...inner, parts: inner.parts.map((part) => ({ ...part, ratio: value })) };
    return operator === 'Mul' ? { ...inner, factors: values } : undefined;
  }
  const isPerOutput =
    dims.length === inner.dims.length && dims.every((size, at) => size === (at === axis ? inner.dims[at] : 1));
  return operator === 'Mul' && isPerOutput && countValues(dims) === inner.dims[axis]
    ? { ...inner, factors: values }
    : undefined;
}

export const countPanels = (channels: number) => padChannels(channels) / PANEL;
