// Values of a network during planning and running.
import { PANEL } from '../kernel/kernel.ts';
import { countValues, type Tensor, type Values } from '../tensor.ts';

/** Known before any run. */
export interface Constant {
  kind: 'constant';
  dims: readonly number[];
  /** Computed on demand, because weights are packed directly. */
  read(): Tensor;
  /** Operator and inputs of a computed constant; `depth`: number of nested computations. */
  made?: { operator: string; inputs: readonly (Constant | undefined)[]; depth: number };
}

/** Feature maps in kernel memory: images, channels, height, width. */
export interface Maps {
  kind: 'maps';
  dims: readonly [images: number, channels: number, height: number, width: number];
  at: number;
  pixelBytes: number;
}

/** All other values, in the order of their dimensions. */
export interface Plain {
  kind: 'plain';
  dims: readonly number[];
  /** Values of the current run. */
  current: Values | undefined;
  /** Source, if this is a reshaped view. */
  of?: Plain | undefined;
  /** Whether the value is copied from maps, and could be written anywhere. */
  isCopy?: boolean;
  /** Position in a concatenation, if it is written there directly. */
  room?: { within: Plain; at: number };
}

/** Returns the destination for the values of a run. */
export function makeRoom(value: Plain): Float32Array {
  const { room, dims } = value;
  if (room) {
    room.within.current ??= makeRoom(room.within);
    return (room.within.current as Float32Array).subarray(room.at, room.at + countValues(dims));
  }
  return new Float32Array(countValues(dims));
}

/** Writes converted parts of a concatenation in place. Returns false if one cannot be. */
export function giveRoom(joined: Plain, parts: readonly (Value | undefined)[], axis: number): boolean {
  const sources = parts.map((part) => {
    let source = part?.kind === 'plain' ? part : undefined;
    while (source?.of) source = source.of;
    return source;
  });
  const isInARow = countValues(joined.dims.slice(0, axis)) === 1 && new Set(sources).size === sources.length;
  if (!isInARow || !sources.every((source) => source?.isCopy && !source.room)) return false;
  let at = 0;
  for (const source of sources) {
    source!.room = { within: joined, at };
    at += countValues(source!.dims);
  }
  return true;
}

export type Value = Constant | Maps | Plain;

export type Step = () => void;

export interface Planned<Output extends Value = Value> {
  output: Output;
  step: Step;
  /** Memory used only during the step. */
  scratch: readonly number[];
}

export function padChannels(channels: number): number {
  return Math.ceil(channels / PANEL) * PANEL;
}
