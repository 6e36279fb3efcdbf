// Builds the launch page into dist/. Every address in it is relative, so that the page works behind any path prefix.
import { defaultClientConditions, defineConfig } from 'vite';
import { limitMemory } from './build/limit-memory.ts';
import { SEAL_ALIAS } from './build/seal-file.ts';

/** Named by libraries for runtimes without Web Crypto, and for Node; no browser is either. */
const FOREIGN = ['crypto', 'module'];

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  publicDir: false,
  logLevel: 'warn',
  // The runtime's glue comes as files of its own, which its threads load too, and not once more inside the library.
  resolve: { conditions: ['onnxruntime-web-use-extern-wasm', ...defaultClientConditions], alias: SEAL_ALIAS },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [limitMemory()],
  worker: { format: 'es', plugins: () => [limitMemory()], rolldownOptions: { external: FOREIGN } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: ['es2022', 'safari16.4'],
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { external: FOREIGN },
  },
  experimental: {
    // The page is at `…/launch`, its files are below it.
    renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `launch/${file}` : { relative: true }),
  },
});
