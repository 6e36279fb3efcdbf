import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, it, onTestFinished } from 'vitest';
import { readStamp } from '../../apps/server/src/operations/start/built-program.ts';
import { ROOT } from '../pages/page-list.ts';
import { beginStamps, noteSources } from './note-sources.ts';

it('keeps the first stamp of a source that is edited between two bundles', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'limen-sources-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const source = join(folder, 'source.ts');
  const stamps = new Map<string, string>();
  const build = async () => {
    const bundle = await rolldown({ input: source, plugins: [noteSources(stamps)] });
    const { output } = await bundle.generate();
    await bundle.close();
    return output[0].code;
  };
  writeFileSync(source, 'console.log("before");');
  const before = readStamp(source);
  expect(await build()).toContain('before');
  writeFileSync(source, 'console.log("edited since");');
  expect(await build()).toContain('edited since');
  expect([...stamps]).toEqual([[relative(ROOT, source), before]]);
});

it('includes the build scripts of the service among its sources', () => {
  const builder = 'scripts/service/build-service.ts';
  expect(beginStamps().get(builder)).toBe(readStamp(join(ROOT, builder)));
});
