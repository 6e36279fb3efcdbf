// `npm run check`: layers, circles, copies and names (check-layers.ts), methods (check-methods.ts),
// language (check-language.ts), format and lint (Biome), types (TypeScript), dead code (knip), generated docs.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Caches of the compiler and knip, for incremental checks. */
const CACHE = 'node_modules/.cache/limen-check';

const checks: [string, string[]][] = [
  ['format, lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
  ['layers, circles, copies, names', ['scripts/check-layers.ts']],
  ['methods', ['scripts/check-methods.ts']],
  ['language', ['scripts/check-language.ts']],
  ['types', compileTypes('tsconfig.json')],
  ['types of the pages', compileTypes('apps/launch/tsconfig.json')],
  ['types of the console', compileTypes('apps/console/tsconfig.json')],
  ['types of the demo', compileTypes('tools/demo/tsconfig.json')],
  ["types of the page's benchmarks", compileTypes('lab/bench/tsconfig.page.json')],
  ['unused code', ['node_modules/knip/bin/knip.js', '--cache', '--cache-location', `${CACHE}/knip`]],
  ['compiled kernel', ['scripts/build-kernel.ts', '--check']],
  ['generated documents', ['scripts/write-docs.ts', '--check']],
];
/** Some are CPU-bound and some disk-bound. More in parallel would need too much memory. */
const AT_ONCE = 2;
/** Halves the frequency of the compiler's garbage collector. */
const ENVIRONMENT = { GOGC: '200', ...process.env };

let failed = false;
const waiting = [...checks];
await Promise.all(Array.from({ length: AT_ONCE }, runAll));
process.exit(failed ? 1 : 0);

/**
 * By default the compiler uses four threads, each of which resolves shared types again: two need
 * 4.3 million type instantiations where one needs 2.5.
 */
function compileTypes(project: string): string[] {
  const state = `${CACHE}/${project.replaceAll('/', '-')}.tsbuildinfo`;
  return [
    'node_modules/typescript/bin/tsc',
    '--singleThreaded',
    '--incremental',
    '--tsBuildInfoFile',
    state,
    '-p',
    project,
  ];
}

async function runAll(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) await runOne(...next);
}

async function runOne(name: string, args: string[]): Promise<void> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: ENVIRONMENT });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [status, ...said] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  console.log(`${status === 0 ? '✓' : '✗'} ${name}`);
  if (status === 0) return;
  failed = true;
  console.log(said.join(''));
}
