// The layer rules must bite: a deliberately illegal file fails the lint wherever it would stand.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const BIOME = resolve('node_modules/@biomejs/biome/bin/biome');
const ILLEGAL = readFileSync('tests/fixtures/illegal-imports.ts.txt', 'utf8');

interface Report {
  diagnostics: { category: string; location: { start: { line: number } } }[];
}

/** The import specifiers that the project's rules refuse, when `text` stands at `path`. */
function refusedImports(path: string, text: string): string[] {
  const root = mkdtempSync(join(tmpdir(), 'limen-layers-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const rules = JSON.parse(readFileSync('biome.json', 'utf8'));
  writeFileSync(join(root, 'biome.json'), JSON.stringify({ ...rules, $schema: undefined, vcs: { enabled: false } }));
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  const args = [BIOME, 'lint', '--only=style/noRestrictedImports', '--reporter=json', '--max-diagnostics=none', path];
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  const { diagnostics } = JSON.parse(stdout.slice(stdout.indexOf('{'), stdout.lastIndexOf('}') + 1)) as Report;
  const lines = text.split('\n');
  return diagnostics
    .filter(({ category }) => category === 'lint/style/noRestrictedImports')
    .map(({ location }) => /'(.*)'/.exec(lines[location.start.line - 1] ?? '')?.[1] ?? '')
    .toSorted();
}

const ABOVE = ['../../app.ts', '../../cli/main.ts', '../../config.ts'];

it.each([
  { path: 'apps/server/src/platform/http/x.ts', refused: [...ABOVE, '../../features/strings/service.ts'] },
  { path: 'apps/server/src/core/sessions/x.ts', refused: [...ABOVE, '../../features/strings/service.ts'] },
  { path: 'apps/server/src/features/front-door/x.ts', refused: [...ABOVE, '../strings/service.ts'] },
  { path: 'packages/screening/src/x.ts', refused: ['@limen/server'] },
])('an illegal import in $path is refused', ({ path, refused }) => {
  expect(refusedImports(path, ILLEGAL)).toEqual(refused.toSorted());
});

it('the contract imports nothing of the project', () => {
  const refused = refusedImports('packages/contract/src/x.ts', ILLEGAL);
  expect(refused).toContain('@limen/server');
  expect(refused).toContain('../../../sdk/src/index.ts');
});

it('a component of the launch page knows screens and words, and nothing behind them', () => {
  const imports = ['../../flow/screens.ts', '../../i18n/index.ts', '../../flow/page.ts', '../../models/face-engine.ts'];
  const text = [...imports, '@limen/sdk/device', 'preact'].map((path) => `import '${path}';\n`).join('');
  expect(refusedImports('apps/launch/src/ui/screens/x.ts', text)).toEqual([
    '../../flow/page.ts',
    '../../models/face-engine.ts',
    '@limen/sdk/device',
  ]);
  expect(refusedImports('apps/launch/src/flow/x.ts', "import '../ui/app.tsx';\nimport 'preact';\n")).toHaveLength(2);
});

it('lawful imports pass', () => {
  const lawful = "import '../../platform/errors.ts';\nimport './rules.ts';\nimport '@limen/contract';\n";
  expect(refusedImports('apps/server/src/features/strings/x.ts', lawful)).toEqual([]);
});
