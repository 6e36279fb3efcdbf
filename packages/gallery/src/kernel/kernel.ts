// Loads the scan kernel that is the fastest here: all of them give the same answers.
import { readFileSync } from 'node:fs';

/** Where the rows of a block lie in the arena, and the query that they are compared with. */
type CoarseRows = [codesAt: number, stride: number, metaAt: number, metaStride: number, queryAt: number];
type FineRows = [codesAt: number, stride: number, rowBytes: number, queryAt: number];
type Limits = [limit: number, scale: number, queryNorm: number, queryError: number];

export interface Kernel {
  /**
   * Writes number, coarse bound and coarse estimate of each row whose bound is not below the limit; `from` and `to` are multiples of four.
   */
  scanCoarse(...call: [...CoarseRows, from: number, to: number, outAt: number, ...Limits, centre: number]): number;
  /** Writes number and fine bound of each row whose fine bound is not below the limit. */
  scanFine(...call: [...FineRows, from: number, to: number, outAt: number, ...Limits]): number;
  /** The same for the rows of a list. */
  filterFine(...call: [...FineRows, listAt: number, count: number, outAt: number, ...Limits]): number;
}

/**
 * `dot` sums products into 32 bits by an instruction that arm64 has and most x86 do not; `pairs` into 16 bits first, which takes x86 half as
 * many instructions. `plain` does without relaxed SIMD, and is the slowest.
 */
export type KernelKind = 'dot' | 'pairs' | 'plain';

export function chooseKernel(): KernelKind {
  const fastest = process.arch === 'arm64' ? 'dot' : 'pairs';
  return WebAssembly.validate(readKernel(fastest)) ? fastest : 'plain';
}

export function loadKernel(kind: KernelKind, memory: WebAssembly.Memory): Kernel {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readKernel(kind)), { host: { memory } });
  return exports as unknown as Kernel;
}

function readKernel(kind: KernelKind) {
  return readFileSync(new URL(`./kernel-${kind}.wasm`, import.meta.url));
}
