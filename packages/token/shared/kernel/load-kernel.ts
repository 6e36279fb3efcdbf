// Loads the kernel shared by evaluator and key-holder. Only for Node, so shared/index.ts excludes
// it.
import { readFileSync } from 'node:fs';

/**
 * Parameters are offsets in memory, at multiples of sixteen, or counts. `roots` is
 * kernel-tables.ts' table of the inverse transform, `forwardRoots` the other. `scratch` is 8,192
 * bytes. Factors are in factor.ts' format.
 */
export interface TokenKernel {
  /** A polynomial times a factor, value by value: residues of 0..q, or slightly outside. */
  multiply(values: number, factor: number, out: number): void;
  /** The product as coefficients times 65,536/q, rounded to 16 bits. 1/n is in the factor. */
  multiplyRounded(values: number, factor: number, roots: number, scratch: number, out: number): void;
  /**
   * Rows of the tokens in the list, whose entries count tokens of 16,384 bytes from the start of
   * memory. `probe` is its two polynomials over n as factors. The words have no noise and are
   * between -q and q.
   */
  compare(list: number, count: number, probe: number, roots: number, scratch: number, out: number): void;
  /** Transforms coefficients to values and a factor. Needs twice a polynomial's room. */
  makeFactor(values: number, forwardRoots: number): void;
  /** One projection of a token. `direction`, its coefficients over n, becomes a factor. */
  project(token: number, direction: number, forwardRoots: number, roots: number, scratch: number, out: number): void;
  /**
   * The score times M² per row, as a 64-bit float. `keys`: of the token's key and then of the
   * probe's, the coefficients that meet those of a polynomial in a product's constant coefficient
   * (s[0], -s[n-1], ... -s[1]) as 16-bit integers; then the product of both keys in NTT form,
   * centered, as 32-bit integers.
   */
  score(rows: number, count: number, keys: number, out: number): void;
  /**
   * Rows of the blocks in the list (work-area.ts defines a block's place), with a folded probe over
   * n as a factor. The words have no noise and are between -q and q; all places count.
   */
  compareBlocks(list: number, count: number, probe: number, out: number): void;
  /**
   * Four scores times M² per block, as 64-bit floats. `streams`: 512 bytes per block, from which
   * its secret key is derived; `tables`: per place the 16-bit integers that meet the coefficients
   * of that key, and then of the row's polynomial.
   */
  scoreBlocks(rows: number, count: number, streams: number, tables: number, out: number): void;
}

export function loadKernel(memory: WebAssembly.Memory): TokenKernel {
  const module = new WebAssembly.Module(readFileSync(new URL('./token-kernel.wasm', import.meta.url)));
  return new WebAssembly.Instance(module, { host: { memory } }).exports as unknown as TokenKernel;
}
