// `npm run check`: layers, circles and copies (check-layers.ts), format and lint (Biome), types (TypeScript), dead code (knip), generated docs.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

const checks: [string, string[]][] = [
  ['format, lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
  ['layers, circles, copies', ['scripts/check-layers.ts']],
  ['types', ['node_modules/typescript/bin/tsc']],
  ['types of the pages', ['node_modules/typescript/bin/tsc', '-p', 'apps/launch']],
  ['types of the console', ['node_modules/typescript/bin/tsc', '-p', 'apps/console']],
  ['types of the demo', ['node_modules/typescript/bin/tsc', '-p', 'apps/demo']],
  ["types of the page's benchmarks", ['node_modules/typescript/bin/tsc', '-p', 'bench/tsconfig.page.json']],
  ['unused code', ['node_modules/knip/bin/knip.js']],
  ['compiled kernel', ['scripts/build-kernel.ts', '--check']],
  ['generated documents', ['scripts/write-docs.ts', '--check']],
];
/** Some use one core, some wait for the disk; more at once would take too much memory. */
const AT_ONCE = 2;

let failed = false;
const waiting = [...checks];
await Promise.all(Array.from({ length: AT_ONCE }, runAll));
process.exit(failed ? 1 : 0);

async function runAll(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) await runOne(...next);
}

async function runOne(name: string, args: string[]): Promise<void> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [status, ...said] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  console.log(`${status === 0 ? '✓' : '✗'} ${name}`);
  if (status === 0) return;
  failed = true;
  console.log(said.join(''));
}
