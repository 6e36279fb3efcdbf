// Building a page: the output, when it is rebuilt, and that incomplete builds are never used.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type BuildRecord, readBuildRecord } from '../../apps/server/src/platform/http/pages/files.ts';
import { LARGE_BYTES, makePage } from '../testing/page.ts';
import { buildPage, isBuilt } from './build-page.ts';
import { distOf, type PageSource } from './page-list.ts';

const change = (page: PageSource, file: string, content: string) => writeFileSync(join(page.folder, file), content);
const rest = (page: PageSource) => readdirSync(page.folder).filter((name) => name.startsWith('.build-'));

describe('a build', () => {
  it('lists every file with its hash and compressed copies and leaves nothing else behind', async () => {
    const page = makePage();
    expect(isBuilt(page)).toBe(false);
    const record = await buildPage(page);
    expect(isBuilt(page)).toBe(true);
    expect(readBuildRecord(distOf(page))).toEqual(record);
    expect(rest(page)).toEqual([]);
    expect(Object.keys(record.assets).map((name) => name.replace(/-[\w-]{8}\./, '.'))).toEqual(
      expect.arrayContaining(['index.js', 'index.css', 'worker.js', 'large.wasm']),
    );
    const [large, { bytes, gzip, br }] = Object.entries(record.assets).find(([name]) => name.endsWith('.wasm'))!;
    const path = join(distOf(page), 'assets', large);
    expect(bytes).toBe(LARGE_BYTES);
    const [zipped, squeezed] = [readFileSync(`${path}.gz`), readFileSync(`${path}.br`)];
    expect([zipped.length, squeezed.length]).toEqual([gzip, br]);
    expect(gunzipSync(zipped)).toEqual(readFileSync(path));
    expect(brotliDecompressSync(squeezed)).toEqual(readFileSync(path));
  });

  it('is repeated if it was quick and a thorough one is required, but not vice versa', async () => {
    const page = makePage();
    change(page, 'src/large.wasm', Array.from({ length: 80_000 }, (_, i) => (i * i) % 9_973).join(' '));
    const largest = ({ assets }: BuildRecord) => Object.entries(assets).find(([name]) => name.endsWith('.wasm'))![1];
    const quick = await buildPage(page);
    expect([isBuilt(page), isBuilt(page, 'thorough')]).toEqual([true, false]);
    const thorough = await buildPage(page, { effort: 'thorough' });
    expect([isBuilt(page), isBuilt(page, 'thorough')]).toEqual([true, true]);
    expect(largest(thorough).sha256).toBe(largest(quick).sha256);
    expect(largest(thorough).br).toBeLessThan(largest(quick).br!);
  });

  it('is repeated if a source changed, appeared or disappeared, but not for tests and test helpers', async () => {
    const page = makePage();
    await buildPage(page);
    change(page, 'src/main.test.ts', 'changed');
    for (const folder of ['testing', 'journeys']) {
      mkdirSync(join(page.folder, folder));
      change(page, `${folder}/helper.ts`, 'changed');
    }
    expect(isBuilt(page)).toBe(true);
    change(page, 'src/more.ts', 'export {};');
    expect(isBuilt(page)).toBe(false);
    rmSync(join(page.folder, 'src/more.ts'));
    expect(isBuilt(page)).toBe(true);
    change(page, 'src/style.css', 'p { color: red }');
    expect(isBuilt(page)).toBe(false);
  });

  it('leaves the previous build in place if it fails', async () => {
    const page = makePage();
    const before = await buildPage(page);
    change(page, 'src/main.ts', "import './missing.ts';");
    await expect(buildPage(page)).rejects.toThrow('missing.ts');
    expect(readBuildRecord(distOf(page))).toEqual(before);
    expect(isBuilt(page)).toBe(false);
    expect(rest(page)).toEqual([]);
  });

  it('is not used if it was interrupted, and is removed later', async () => {
    const page = makePage();
    const [old, running] = [join(page.folder, '.build-old'), join(page.folder, '.build-running')];
    for (const folder of [old, running]) mkdirSync(folder);
    utimesSync(old, 0, 0);
    mkdirSync(distOf(page));
    writeFileSync(join(distOf(page), 'index.html'), 'half a page');
    expect(isBuilt(page)).toBe(false);
    await buildPage(page);
    expect(readFileSync(join(distOf(page), 'index.html'), 'utf8')).toContain('Tiny');
    expect([existsSync(old), existsSync(running)]).toEqual([false, true]);
  });

  it('produces one complete page when run concurrently', async () => {
    const page = makePage();
    const records = await Promise.all(Array.from({ length: 4 }, () => buildPage(page)));
    expect(isBuilt(page)).toBe(true);
    expect(records.map(({ sources }) => sources)).toEqual(Array(4).fill(records[0]?.sources));
    const { assets } = readBuildRecord(distOf(page))!;
    for (const name of Object.keys(assets)) {
      expect(readFileSync(join(distOf(page), 'assets', name)).length).toBe(assets[name]?.bytes);
    }
    expect(rest(page)).toEqual([]);
  });
});
