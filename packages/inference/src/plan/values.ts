// What the values of a network are while it is planned and run.
import { PANEL } from '../kernel/kernel.ts';
import { joinShapes } from '../plain/combine.ts';
import type { Tensor } from '../tensor.ts';

/** Known before anything runs. */
export interface Constant {
  kind: 'constant';
  /** Computed when it is asked for: weights are put together in another way. */
  read(): Tensor;
  /** Where it is not in the file itself. */
  made?: { operator: string; inputs: readonly Constant[] };
}

/** Feature maps in the memory of the kernels: images, channels, height, width. */
export interface Maps {
  kind: 'maps';
  dims: readonly [images: number, channels: number, height: number, width: number];
  at: number;
  pixelBytes: number;
}

/** Anything else, in the order of its dimensions. */
export interface Plain {
  kind: 'plain';
  dims: readonly number[];
  /** Of the run that is going on. */
  current: Tensor | undefined;
}

export type Value = Constant | Maps | Plain;

export type Step = () => void;

export interface Planned<Output extends Value = Value> {
  output: Output;
  step: Step;
  /** Memory of the step alone, to be given back once it has been planned. */
  scratch: readonly number[];
}

export function padChannels(channels: number): number {
  return Math.ceil(channels / PANEL) * PANEL;
}

export function dimsOf(value: Value): readonly number[] {
  return value.kind === 'constant' ? value.read().dims : value.dims;
}

/** Of weights, without computing them. */
export function findDims(weights: Constant): readonly number[] {
  const { operator = '', inputs = [] } = weights.made ?? {};
  const [first, second] = inputs;
  if (operator === 'Cast') return findDims(first!);
  return JOINING.has(operator) && second ? joinShapes(findDims(first!), findDims(second)) : weights.read().dims;
}

const JOINING: ReadonlySet<string> = new Set(['Add', 'Sub', 'Mul']);
