// The runtime without what our models never call: 6 MB instead of 14, and a third of the bytes on the wire. Which functions
// they call was recorded (`npm run runtime`); a model that it was not recorded with gets the whole runtime.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';
import { keepFunctions, measureFunctions } from './wasm-functions.ts';

const RECORDED = new URL('./lean-functions.json', import.meta.url);
const LEAN = /[\\/]ort-wasm-simd-threaded\.wasm\?url&lean$/;

/**
 * In bytes. Such functions all stay: which of them run depends on how threads meet, and together they are a tenth of what
 * is left.
 */
const SMALL = 256;

/** For the page's build and for that of its worker. */
export function leanRuntime(): Plugin {
  return {
    name: 'limen-lean-runtime',
    enforce: 'pre',
    apply: 'build',
    async load(id) {
      if (!LEAN.test(id)) return null;
      const recorded = JSON.parse(await readFile(RECORDED, 'utf8')) as Recorded;
      const source = makeLean(await readFile(id.slice(0, id.lastIndexOf('?'))), recorded);
      const reference = this.emitFile({ type: 'asset', name: 'ort-lean.wasm', source });
      return { code: `export default import.meta.ROLLUP_FILE_URL_${reference};`, moduleSideEffects: false };
    },
  };
}

export interface Recorded {
  /** The hash of the runtime. */
  wasm: string;
  /** A bit for each of its functions, in base64: called, and larger than those that stay anyway. */
  functions: string;
}

export function makeLean(wasm: Uint8Array, recorded: Recorded): Uint8Array<ArrayBuffer> {
  if (hashOf(wasm) !== recorded.wasm)
    throw new Error('The runtime is another one than was recorded; run: npm run runtime');
  const bits = Buffer.from(recorded.functions, 'base64');
  return keepFunctions(wasm, (index, bytes) => bytes <= SMALL || ((bits[index >> 3]! >> (index & 7)) & 1) === 1);
}

export function record(wasm: Uint8Array, wasCalled: (index: number) => boolean): Recorded {
  const sizes = measureFunctions(wasm);
  const bits = Buffer.alloc(Math.ceil(sizes.length / 8));
  for (const [index, bytes] of sizes.entries())
    if (bytes > SMALL && wasCalled(index)) bits[index >> 3]! |= 1 << (index & 7);
  return { wasm: hashOf(wasm), functions: bits.toString('base64') };
}

function hashOf(wasm: Uint8Array): string {
  return createHash('sha256').update(wasm).digest('hex');
}
