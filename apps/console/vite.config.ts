// Builds the console into dist/ with relative addresses, so any path prefix works.
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: ['es2022', 'safari16.4'],
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  experimental: {
    // The page is at `…/console`; its files are below it.
    renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `console/${file}` : { relative: true }),
  },
});
