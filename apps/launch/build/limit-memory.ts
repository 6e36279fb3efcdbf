// Lowers how much memory the runtime may ever ask for: it reserves all of it at the start, and iPhones refuse 4 GB.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Plugin } from 'vite';

/** The library's own script, as the page asks for it. */
const GLUE = /[\\/]ort-wasm-simd-threaded\.mjs\?url$/;
const SHIPPED = 'new WebAssembly.Memory({initial:256,maximum:65536,shared:!0})';
/**
 * In pages of 64 KB: 512 MB, or less where the device refuses that. All our models together were seen to take 70 MB; the
 * rest is for other ones. The memory is shared on one thread too, so fewer threads would not help.
 */
const MAXIMA = [8192, 4096, 2048];
const LIMITED = `(a=>{for(let b of a)try{return new WebAssembly.Memory({initial:256,maximum:b,shared:!0})}catch(c){if(b==a.at(-1))throw c}})([${MAXIMA}])`;

/** For the page's build and for that of its worker. */
export function limitMemory(): Plugin {
  return {
    name: 'limen-limit-memory',
    enforce: 'pre',
    apply: 'build',
    async load(id) {
      if (!GLUE.test(id)) return null;
      const file = id.slice(0, id.lastIndexOf('?'));
      const source = lowerMaximum(await readFile(file, 'utf8'));
      if (source === undefined) this.error(`${basename(file)} asks for memory in another way; see limit-memory.ts.`);
      // A file of its own, with a name by what is in it now.
      const reference = this.emitFile({ type: 'asset', name: basename(file), source });
      return { code: `export default import.meta.ROLLUP_FILE_URL_${reference};`, moduleSideEffects: false };
    },
    writeBundle(_, bundle) {
      const assets = Object.values(bundle).flatMap((one) => (one.type === 'asset' ? [one] : []));
      const scripts = assets.filter(({ fileName }) => fileName.endsWith('.mjs')).map(({ source }) => String(source));
      // Also where the library gave its scripts other names, so that none of them came by above.
      const isLimited = scripts.length > 0 && scripts.every((text) => text.includes(LIMITED));
      if (!isLimited) this.error('The memory of the runtime is not limited; see limit-memory.ts.');
    },
  };
}

/** Undefined where there is nothing to lower, or more than one thing. */
export function lowerMaximum(script: string): string | undefined {
  const parts = script.split(SHIPPED);
  return parts.length === 2 ? parts.join(LIMITED) : undefined;
}
