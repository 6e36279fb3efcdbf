// Builds the launch page into dist/. All addresses are relative, so the page works under any path
// prefix.
import { defaultClientConditions, defineConfig } from 'vite';
import { limitMemory } from './build/limit-memory.ts';
import { SEAL_ALIAS } from './build/seal-file.ts';

/** Imports of libraries for Node or runtimes without Web Crypto; never used in a browser. */
const FOREIGN = ['crypto', 'module'];

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  publicDir: false,
  logLevel: 'warn',
  // Keeps the runtime's glue in separate files, which its threads also load, instead of bundling it
  // twice.
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
    // The page is served at `…/launch`, and its files below it.
    renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `launch/${file}` : { relative: true }),
  },
});
