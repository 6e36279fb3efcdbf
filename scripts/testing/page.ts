// A small page for build tests: a script, a worker, a style and a large file, in a temporary
// folder.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { PageSource } from '../pages/page-list.ts';

/** Larger than the in-memory cache limit, and compressible. */
export const LARGE_BYTES = 400_000;

const CONFIG = `export default {
  root: import.meta.dirname,
  base: './',
  publicDir: false,
  logLevel: 'silent',
  worker: { format: 'es' },
  build: { outDir: 'dist', assetsDir: 'assets', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  experimental: {
    renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? \`launch/\${file}\` : { relative: true }),
  },
};
`;

const FILES: Record<string, string> = {
  'vite.config.ts': CONFIG,
  'index.html':
    '<!doctype html><html lang="en"><head><title>Tiny</title><link rel="icon" href="./src/icon.svg"><script type="module" src="./src/main.ts"></script></head><body><p id="said"></p></body></html>\n',
  'src/main.ts': `import './style.css';
const large: string = new URL('./large.wasm', import.meta.url).href;
const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
const canEval = () => {
  try {
    return new Function('return true')();
  } catch {
    return false;
  }
};
worker.onmessage = ({ data }) => {
  document.querySelector('#said')!.textContent = \`\${data} \${canEval()}\`;
};
worker.postMessage(large);
`,
  'src/worker.ts': `onmessage = async ({ data }: MessageEvent<string>) => {
  const bytes = (await (await fetch(data)).arrayBuffer()).byteLength;
  // The smallest module there is.
  const module = new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
  postMessage(\`\${bytes} \${crossOriginIsolated} \${module instanceof WebAssembly.Module}\`);
};
`,
  'src/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1"/></svg>\n',
  'src/style.css': `${'p { color: rebeccapurple; }\n'.repeat(3)}`,
  'src/large.wasm': 'limen '.repeat(LARGE_BYTES / 6 + 1).slice(0, LARGE_BYTES),
};

/** Removed at the end of the test, unless several share it. */
export function makePage(atEnd: (dispose: () => void) => void = onTestFinished): PageSource {
  const folder = mkdtempSync(join(tmpdir(), 'limen-page-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'src'));
  for (const [file, content] of Object.entries(FILES)) writeFileSync(join(folder, file), content);
  return { name: 'tiny', folder, sources: [folder] };
}
