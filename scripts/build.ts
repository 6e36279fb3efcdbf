// `npm run build`: builds changed pages and the service. Arguments: names of pages, or `service`;
// --force, --quiet, --quick to compress large files less, in a second instead of half a minute.
import { parseArgs } from 'node:util';
import { findBuild } from '../apps/server/src/operations/start/built-program.ts';
import type { BuildRecord } from '../apps/server/src/platform/http/pages/files.ts';
import { buildPage, isBuilt } from './pages/build-page.ts';
import { listPages } from './pages/page-list.ts';
import { buildService } from './service/build-service.ts';

const SERVICE = 'service';

// Must be set before any library is loaded, because libraries select their page code by it.
process.env['NODE_ENV'] = 'production';

const { values, positionals } = parseArgs({
  options: {
    force: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const effort = values.quick ? 'quick' : 'thorough';
const pages = listPages();
const names = [...pages.map(({ name }) => name), SERVICE];
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no page ${unknown.join(', ')}; there are: ${names.join(', ')}.`);
  process.exit(2);
}
for (const name of names.filter((name) => positionals.length === 0 || positionals.includes(name))) {
  const page = pages.find((page) => page.name === name);
  if (!values.force && (page ? isBuilt(page, effort) : findBuild())) {
    say(`${name}: nothing changed`);
    continue;
  }
  try {
    const startedAt = performance.now();
    const made = page ? describe(await buildPage(page, { quiet: values.quiet, effort })) : await buildService();
    say(`${name}: ${made}, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}

function say(line: string): void {
  if (!values.quiet) console.log(line);
}

function describe({ page, assets }: BuildRecord): string {
  const files = [page, ...Object.values(assets)];
  const sum = (pick: (file: (typeof files)[number]) => number) =>
    (files.reduce((total, file) => total + pick(file), 0) / 1e6).toFixed(2);
  const compressed = `${sum(({ gzip, bytes }) => gzip ?? bytes)} MB gzip, ${sum(({ br, bytes }) => br ?? bytes)} MB brotli`;
  return `${files.length} files, ${sum(({ bytes }) => bytes)} MB (${compressed})`;
}
