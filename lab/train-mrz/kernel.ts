// The network's memory, and the matrix product over it.
import createWabt from 'wabt';
import { MULTIPLY_TEXT } from './kernel-text.ts';

/** A part of the memory: its position in bytes, and its values. */
export interface Block {
  readonly at: number;
  readonly values: Float32Array;
}

export type Multiply = (
  ...values: [
    a: number,
    aRow: number,
    aColumn: number,
    b: number,
    bRow: number,
    c: number,
    cRow: number,
    i: number,
    iRow: number,
    m: number,
    n: number,
    k: number,
  ]
) => void;

export interface Kernel {
  allocate(length: number): Block;
  multiply: Multiply;
}

const PAGE = 65_536;

export async function buildMultiply(): Promise<Uint8Array> {
  const wabt = await createWabt();
  const parsed = wabt.parseWat('multiply', MULTIPLY_TEXT, { simd: true, relaxed_simd: true, threads: true });
  try {
    parsed.resolveNames();
    return parsed.toBinary({}).buffer;
  } finally {
    parsed.destroy();
  }
}

export function createKernel(module: Uint8Array, maxBytes: number): Kernel {
  const pages = Math.ceil(maxBytes / PAGE);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module), { host: { memory } });
  let next = 0;
  return {
    allocate(length) {
      const at = next;
      next += Math.ceil(length / 4) * 16;
      if (next > pages * PAGE) throw new RangeError('The network is larger than the memory made for it');
      return { at, values: new Float32Array(memory.buffer, at, length) };
    },
    multiply: (exports as { multiply: Multiply }).multiply,
  };
}
