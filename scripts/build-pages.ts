// `npm run build`: builds the pages whose sources changed. Arguments: names of pages; --force, --quiet,
// --quick to compress large files less, in a second instead of half a minute.
import { parseArgs } from 'node:util';
import type { BuildRecord } from '../apps/server/src/platform/http/pages/build-record.ts';
import { buildPage, isBuilt } from './pages/build-page.ts';
import { listPages } from './pages/page-list.ts';

// Libraries choose by it what goes into a page; it must be set before any is loaded.
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
const unknown = positionals.filter((name) => !pages.some((page) => page.name === name));
if (unknown.length > 0) {
  console.error(`There is no page ${unknown.join(', ')}; there are: ${pages.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
for (const page of pages.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  if (!values.force && isBuilt(page, effort)) {
    say(`${page.name}: nothing changed`);
    continue;
  }
  try {
    const startedAt = performance.now();
    const record = await buildPage(page, { quiet: values.quiet, effort });
    say(`${page.name}: ${describe(record)}, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  } catch (error) {
    console.error(`${page.name}: ${error instanceof Error ? error.message : String(error)}`);
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
