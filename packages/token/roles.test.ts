import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROLES = ['device', 'evaluator', 'keyholder'];
/** Bundled by pages. The kernel is for Node, and shared/index.ts excludes it. */
const IN_PAGES = ['shared', 'device'];

function importsOf(folder: string) {
  const root = new URL(`./${folder}/`, import.meta.url);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) => {
      const text = readFileSync(new URL(name, root), 'utf8');
      const found = text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'|new URL\('([^']+)'/g);
      return Array.from(found, (match) => ({ name, target: match[1] ?? match[2]! }));
    });
}

/** Folder of the package that an import refers to, from a file in `folder`. */
function reaches(folder: string, { name, target }: { name: string; target: string }) {
  if (target.startsWith('@limen/token/')) return target.split('/')[2];
  if (!target.startsWith('.')) return undefined;
  const path = new URL(target, `file:///${folder}/${name}`).pathname;
  return path.split('/')[1];
}

test.each(ROLES)('%s imports nothing of the other roles', (role) => {
  const imports = importsOf(role);
  expect(imports.length).toBeGreaterThan(0);
  for (const entry of imports) {
    expect([undefined, role, 'shared']).toContain(reaches(role, entry));
  }
});

test('shared imports no role, and no product file imports test helpers', () => {
  for (const folder of [...ROLES, 'shared']) {
    for (const entry of importsOf(folder)) {
      expect(reaches(folder, entry)).not.toBe('testing');
      if (folder === 'shared') expect([undefined, 'shared']).toContain(reaches(folder, entry));
    }
  }
});

test('pages bundle no Node modules', () => {
  for (const folder of IN_PAGES) {
    for (const { name, target } of importsOf(folder)) {
      if (!name.startsWith('kernel/')) {
        expect(target).not.toMatch(/^node:/);
        expect(target).not.toContain('kernel/');
      }
    }
  }
});

test('no role uses a predictable random generator', () => {
  for (const folder of [...ROLES, 'shared']) {
    const root = new URL(`./${folder}/`, import.meta.url);
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (name.endsWith('.ts')) expect(readFileSync(new URL(name, root), 'utf8')).not.toContain('Math.random');
    }
  }
});
