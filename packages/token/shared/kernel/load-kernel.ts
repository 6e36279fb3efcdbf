// Loads the kernel that evaluator and key-holder share. For Node alone, which is why shared/index.ts leaves it out.
import { readFileSync } from 'node:fs';

/**
 * All parameters are offsets in the memory, at multiples of sixteen, or counts. `roots` is kernel-tables.ts' table of the
 * inverse transform, `forwardRoots` the other; `scratch` is 8,192 bytes; a factor is as factor.ts writes it.
 */
export interface TokenKernel {
  /** A polynomial with a factor, value by value: residues of 0..q, or a little outside. */
  multiply(values: number, factor: number, out: number): void;
  /**
   * Rows of the tokens in the list, whose entries count tokens of 16,384 bytes from the memory's beginning. `probe` is its
   * two polynomials over n as factors. The words are without noise, anywhere between -q and q.
   */
  compare(list: number, count: number, probe: number, roots: number, scratch: number, out: number): void;
  /** Coefficients to values, in place, and to a factor; twice the room of a polynomial. */
  makeFactor(values: number, forwardRoots: number): void;
  /** One projection of a token; `direction`, its coefficients over n, becomes a factor. Its word as in `compare`. */
  project(token: number, direction: number, forwardRoots: number, roots: number, scratch: number, out: number): void;
  /**
   * For each row the score times M² as a 64-bit float. `keys`: of the token's key and then of the probe's the coefficients
   * that meet those of a polynomial in a product's constant coefficient (s[0], -s[n-1], ... -s[1]) as 16-bit integers;
   * then the product of both keys in NTT form, centred, as 32-bit integers.
   */
  score(rows: number, count: number, keys: number, out: number): void;
}

export function loadKernel(memory: WebAssembly.Memory): TokenKernel {
  const module = new WebAssembly.Module(readFileSync(new URL('./token-kernel.wasm', import.meta.url)));
  return new WebAssembly.Instance(module, { host: { memory } }).exports as unknown as TokenKernel;
}
