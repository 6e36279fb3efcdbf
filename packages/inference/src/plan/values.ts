// What the values of a network are while it is planned and run.
import { PANEL } from '../kernel/kernel.ts';
import { countOf, type Tensor, type Values } from '../tensor.ts';

/** Known before anything runs. */
export interface Constant {
  kind: 'constant';
  dims: readonly number[];
  /** Computed when it is asked for: weights are put together in another way. */
  read(): Tensor;
  /** Where it is not in the file itself; `depth` is how many stand one upon the other. */
  made?: { operator: string; inputs: readonly (Constant | undefined)[]; depth: number };
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
  current: Values | undefined;
  /** Where it has the values of another one in another shape. */
  of?: Plain | undefined;
  /** Whether it is copied from maps, which it may be to any place. */
  isCopy?: boolean;
  /** Where it is written straight into what it is joined to. */
  room?: { within: Plain; at: number };
}

/** Where the values of a run are to be written. */
export function makeRoom(value: Plain): Float32Array {
  const { room, dims } = value;
  if (room) {
    room.within.current ??= makeRoom(room.within);
    return (room.within.current as Float32Array).subarray(room.at, room.at + countOf(dims));
  }
  return new Float32Array(countOf(dims));
}

/**
 * Where maps are turned into plain values only to be joined one after the other, each is written where it will lie. False
 * where one of them is computed in another way, or lies within another one already.
 */
export function giveRoom(joined: Plain, parts: readonly (Value | undefined)[], axis: number): boolean {
  const sources = parts.map((part) => {
    let source = part?.kind === 'plain' ? part : undefined;
    while (source?.of) source = source.of;
    return source;
  });
  const isInARow = countOf(joined.dims.slice(0, axis)) === 1 && new Set(sources).size === sources.length;
  if (!isInARow || !sources.every((source) => source?.isCopy && !source.room)) return false;
  let at = 0;
  for (const source of sources) {
    source!.room = { within: joined, at };
    at += countOf(source!.dims);
  }
  return true;
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
