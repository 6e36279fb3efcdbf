// Builds the demo page into dist/. All URLs are relative, so that the page works with any path
// prefix.
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
    // The page is at `…/demo`, and its files are below.
    renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `demo/${file}` : { relative: true }),
  },
});
