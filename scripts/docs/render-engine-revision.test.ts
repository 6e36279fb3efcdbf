// Changes of the engine must trigger a new screening of all subjects.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { followImports, renderEngineRevision } from './render-engine-revision.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const revisionOf = (text: string) => Number(/ENGINE_REVISION = (\d+);/.exec(text)?.[1]);
const present = renderEngineRevision("export const ENGINE_REVISION = 6;\n// Digest of the sources: '0'\n");

describe('the revision of the engine', () => {
  it.each([
    'packages/screening/src/names/tables/equivalent-names.txt',
    'packages/screening/src/names/tables/legal-forms.ts',
    'packages/screening/src/matching/score.ts',
    'packages/screening/src/matching/organisation-score.ts',
    'packages/screening/src/subjects/judge-subject.ts',
    'packages/screening/src/subjects/country-table.ts',
    'packages/screening/src/dates/compare-dates.ts',
    'packages/screening/src/identifiers/kinds.ts',
    'packages/screening/src/index/telling-bits.ts',
  ])('increases if %s changes', (file) => {
    const changed = renderEngineRevision(present, (path) => `${read(path)}${path === file ? '\n' : ''}`);
    expect(revisionOf(changed)).toBe(revisionOf(present) + 1);
  });

  it('increases if a library for reading letters changes', () => {
    const { libraries } = followImports();
    expect(libraries).toContain('any-ascii');
    const changed = renderEngineRevision(present, (path) => {
      if (path !== 'package-lock.json') return read(path);
      const lock = JSON.parse(read(path));
      lock.packages['node_modules/any-ascii'].version = '99.0.0';
      return JSON.stringify(lock);
    });
    expect(revisionOf(changed)).toBe(revisionOf(present) + 1);
  });

  it('does not change otherwise', () => {
    expect(revisionOf(present)).toBe(7);
    expect(renderEngineRevision(present)).toBe(present);
    expect(followImports().files.filter((file) => /loaders\/formats|search\/|\.test\./.test(file))).toEqual([]);
  });

  it('never restarts', () => {
    expect(() => renderEngineRevision('')).toThrow('no valid revision');
  });
});
