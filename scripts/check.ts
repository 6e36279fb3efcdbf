// `npm run check`: format, lint and layer rules (Biome), types (TypeScript), dead code (knip), generated docs.
import { spawnSync } from 'node:child_process';

const checks: [string, string[]][] = [
  ['format, lint, layers', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
  ['types', ['node_modules/typescript/bin/tsc']],
  ['types of the pages', ['node_modules/typescript/bin/tsc', '-p', 'apps/launch']],
  ['types of the demo', ['node_modules/typescript/bin/tsc', '-p', 'apps/demo']],
  ["types of the page's benchmark", ['node_modules/typescript/bin/tsc', '-p', 'bench/tsconfig.launch.json']],
  ['unused code', ['node_modules/knip/bin/knip.js']],
  ['compiled kernel', ['scripts/build-kernel.ts', '--check']],
  ['generated documents', ['scripts/write-docs.ts', '--check']],
];

let failed = false;
for (const [name, args] of checks) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  console.log(`${status === 0 ? '✓' : '✗'} ${name}`);
  if (status !== 0) {
    failed = true;
    console.log(`${stdout}${stderr}`);
  }
}
process.exit(failed ? 1 : 0);
