// Loads the fastest available scan kernel. All of them return the same results.
import { readFileSync } from 'node:fs';

/** Location of a block's rows in the arena, and the query to compare. */
type CoarseRows = [codesAt: number, stride: number, metaAt: number, metaStride: number, queryAt: number];
type FineRows = [codesAt: number, stride: number, rowBytes: number, queryAt: number];
type Limits = [limit: number, scale: number, queryNorm: number, queryError: number];

export interface Kernel {
  /**
   * Writes number, coarse bound and coarse estimate of each row whose bound is not below the limit.
   * `from` and `to` are multiples of four.
   */
  scanCoarse(...call: [...CoarseRows, from: number, to: number, outAt: number, ...Limits, center: number]): number;
  /** Writes number and fine bound of each row whose fine bound is not below the limit. */
  scanFine(...call: [...FineRows, from: number, to: number, outAt: number, ...Limits]): number;
  /** Like the scan, for the rows of a list. */
  filterFine(...call: [...FineRows, listAt: number, count: number, outAt: number, ...Limits]): number;
}

/**
 * `dot` sums products into 32 bits with an instruction of arm64 that most x86 lack. `pairs` uses 16
 * bits first, which halves the instructions on x86. `plain` avoids relaxed SIMD and is the slowest.
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
