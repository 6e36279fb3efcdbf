// Builds the launch page into dist/. Every address in it is relative, so that the page works behind any path prefix.
import { defaultClientConditions, defineConfig } from 'vite';
import { limitMemory } from './build/limit-memory.ts';

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  publicDir: false,
  logLevel: 'warn',
  // The runtime's glue comes as files of its own, which its threads load too, and not once more inside the library.
  resolve: { conditions: ['onnxruntime-web-use-extern-wasm', ...defaultClientConditions] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [limitMemory()],
  worker: { format: 'es', plugins: () => [limitMemory()] },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: ['es2022', 'safari16.4'],
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Named by a library for runtimes without Web Crypto, which no browser is.
    rolldownOptions: { external: ['crypto'] },
  },
  experimental: {
    // The page is at `…/launch`, its files are below it.
    renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `launch/${file}` : { relative: true }),
  },
});
