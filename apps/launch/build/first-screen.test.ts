// Size of everything that a browser loads before it shows the first screen.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ensurePages } from '../../server/testing/built-pages.ts';

const DIST = join(import.meta.dirname, '../dist');
const MAX_GZIP_BYTES = 80_000;
/** Matches static imports only: `import … from "./x.js"` and `import "./x.js"`. */
const AT_ONCE = /(?:\bfrom|\bimport)\s*["'`]\.\/([\w.-]+\.js)["'`]/g;

function findFiles(): Set<string> {
  const html = readFileSync(join(DIST, 'index.html'), 'utf8');
  const files = new Set([...html.matchAll(/(?:src|href)="launch\/([^"]+)"/g)].map(([, file]) => file!));
  // Files added during the loop are visited too.
  for (const file of files) {
    if (!file.endsWith('.js')) continue;
    for (const [, name] of readFileSync(join(DIST, file), 'utf8').matchAll(AT_ONCE)) files.add(`assets/${name}`);
  }
  return files;
}

it('loads at most 80 KB of gzipped files before the first screen', async () => {
  await ensurePages('launch');
  const files = [...findFiles()];
  expect(files.filter((file) => file.endsWith('.js')).length).toBeGreaterThan(1);
  expect(files.some((file) => file.endsWith('.css'))).toBe(true);
  const sizes = ['index.html', ...files].map(
    (file) => [file, gzipSync(readFileSync(join(DIST, file))).length] as const,
  );
  const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
  expect(total, JSON.stringify(sizes)).toBeLessThan(MAX_GZIP_BYTES);
});
