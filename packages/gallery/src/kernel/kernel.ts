// Loads the scan kernel: the module with relaxed SIMD where the runtime takes it, else the one without.
import { readFileSync } from 'node:fs';

/** Where the rows of a block lie in the arena, and the query that they are compared with. */
type CoarseRows = [codesAt: number, stride: number, metaAt: number, metaStride: number, queryAt: number];
type FineRows = [codesAt: number, stride: number, rowBytes: number, queryAt: number];
type Limits = [limit: number, scale: number, queryNorm: number, queryError: number];

export interface Kernel {
  /** Writes the number of each row whose coarse bound is not below the limit; `from` and `to` are multiples of four. */
  scanCoarse(...call: [...CoarseRows, from: number, to: number, outAt: number, ...Limits, centre: number]): number;
  /** Writes number and fine bound of each row whose fine bound is not below the limit. */
  scanFine(...call: [...FineRows, from: number, to: number, outAt: number, ...Limits]): number;
  /** The same for the rows of a list. */
  filterFine(...call: [...FineRows, listAt: number, count: number, outAt: number, ...Limits]): number;
}

/** `plain` is the kernel without relaxed SIMD: the same answers, slower. */
export type KernelKind = 'relaxed' | 'plain';

export function chooseKernel(): KernelKind {
  return WebAssembly.validate(readKernel('relaxed')) ? 'relaxed' : 'plain';
}

export function loadKernel(kind: KernelKind, memory: WebAssembly.Memory): Kernel {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readKernel(kind)), { host: { memory } });
  return exports as unknown as Kernel;
}

function readKernel(kind: KernelKind) {
  return readFileSync(new URL(kind === 'relaxed' ? './kernel.wasm' : './kernel-plain.wasm', import.meta.url));
}
