// Lowers the maximum memory of the runtime. It reserves the maximum at the start, and iPhones
// refuse 4 GB.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Plugin } from 'vite';

/** The library's own script, as the page imports it. */
const GLUE = /[\\/]ort-wasm-simd-threaded\.mjs\?url$/;
const SHIPPED = 'new WebAssembly.Memory({initial:256,maximum:65536,shared:!0})';
/** In pages of 64 KB: 512 MB, or less if the device refuses that. All our models use 70 MB. */
const MAXIMA = [8192, 4096, 2048];
const LIMITED = `(a=>{for(let b of a)try{return new WebAssembly.Memory({initial:256,maximum:b,shared:!0})}catch(c){if(b==a.at(-1))throw c}})([${MAXIMA}])`;

/** Creates the plugin. Both the page's build and its worker's build need it. */
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
      // Emits a separate file with a content hash in its name.
      const reference = this.emitFile({ type: 'asset', name: basename(file), source });
      return { code: `export default import.meta.ROLLUP_FILE_URL_${reference};`, moduleSideEffects: false };
    },
    writeBundle(_, bundle) {
      const assets = Object.values(bundle).flatMap((file) => (file.type === 'asset' ? [file] : []));
      const scripts = assets.filter(({ fileName }) => fileName.endsWith('.mjs')).map(({ source }) => String(source));
      // Also catches renamed library scripts, which `load` does not match.
      const isLimited = scripts.length > 0 && scripts.every((text) => text.includes(LIMITED));
      if (!isLimited) this.error('The memory of the runtime is not limited; see limit-memory.ts.');
    },
  };
}

/** Returns undefined unless the limit occurs exactly once. */
export function lowerMaximum(script: string): string | undefined {
  const parts = script.split(SHIPPED);
  return parts.length === 2 ? parts.join(LIMITED) : undefined;
}
