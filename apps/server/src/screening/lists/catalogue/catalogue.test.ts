// The catalog on a real dataset folder whose reads the test can block.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createManualClock } from '#testing/manual-clock.ts';
import { createListedEntity, storeList } from '#testing/screening/listed-people.ts';
import { createReadiness } from '../../../platform/watch/readiness.ts';
import type { Edition } from '../../engine/messages.ts';
import { createDatasetFolder, type DatasetInfo } from '../folder/folder.ts';
import { watchDatasetAges } from './ages.ts';
import { Catalogue } from './catalogue.ts';

async function open({ eager = true, isCompared = (): boolean => true } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-catalogue-'));
  const folder = createDatasetFolder(dataDir);
  const held = new Map<string, PromiseWithResolvers<void>>();
  const opened: string[] = [];
  const failing = new Set<string>();
  const retired: Edition[] = [];
  const clock = createManualClock();
  const catalogue = new Catalogue({
    folder: {
      survey: () => folder.survey(),
      async openIndex(info: DatasetInfo) {
        opened.push(info.name);
        await held.get(info.name)?.promise;
        if (failing.has(info.name)) throw new Error('disk trouble');
        return folder.openIndex(info);
      },
    },
    clock,
    log: { info() {}, error() {} },
    onRetired: (edition) => retired.push(edition),
    eager,
    sharing: { isCompared, behind: () => new Set() },
    lookEveryMs: 5,
  });
  onTestFinished(async () => {
    for (const { resolve } of held.values()) resolve();
    await catalogue.close();
    rmSync(dataDir, { recursive: true });
  });
  const hold = (name: string) => held.set(name, Promise.withResolvers<void>());
  const release = (name: string) => held.get(name)?.resolve();
  const store = (name: string, version = '1') =>
    storeList(dataDir, name, [createListedEntity(`${name}-1`, 'Torvald Eskeland')], version);
  return { catalogue, folder, store, hold, release, opened, failing, retired, clock };
}

const stateOf = (catalogue: Awaited<ReturnType<typeof open>>['catalogue'], name: string) =>
  catalogue.describe().find((dataset) => dataset.name === name);

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe('the start', () => {
  it('loads in the background and reports its progress', async () => {
    const { catalogue, store, hold, release } = await open();
    await store('one');
    await store('two');
    hold('one');
    hold('two');
    expect(catalogue.progress()).toBe('reading the dataset folder');
    catalogue.start();
    await until(() => catalogue.progress() === 'loading one (2 of 3)');
    expect(stateOf(catalogue, 'one')).toMatchObject({ status: 'loading', version: '1' });
    expect(stateOf(catalogue, 'default')).toMatchObject({ status: 'loading' });
    release('one');
    await until(() => catalogue.progress() === 'loading two (3 of 3)');
    release('two');
    await until(() => catalogue.progress() === 'ready');
    expect(stateOf(catalogue, 'default')).toMatchObject({ status: 'ready', members: ['one', 'two'] });
  });

  it('searches, shows and lists by name, whichever list was loaded first', async () => {
    for (const eager of [true, false]) {
      const { catalogue, store } = await open({ eager });
      await store('north');
      catalogue.start();
      // Loaded before any other.
      (await catalogue.select('north')).release();
      await store('west');
      await store('east');
      await catalogue.select('west').then(({ release }) => release());
      await catalogue.select('east').then(({ release }) => release());
      const { lists, version, release } = await catalogue.select('default');
      release();
      expect([lists, version]).toEqual([['east', 'north', 'west'], 'east@1, north@1, west@1']);
      expect(stateOf(catalogue, 'default')!.version).toBe(version);
      const byName = ({ name }: DatasetInfo) => name;
      expect(catalogue.lists().map(byName)).toEqual(lists);
      expect(
        catalogue
          .loaded()
          .map(byName)
          .filter((name) => name !== 'demo'),
      ).toEqual(lists);
    }
  });

  it('names unreadable lists, and continues with the rest', async () => {
    const { catalogue, folder, store } = await open();
    await store('one');
    await store('two');
    writeFileSync(join(folder.path, 'one', 'dataset.json'), 'damaged');
    catalogue.start();
    await until(() => catalogue.progress() === 'ready');
    expect(catalogue.unread()).toEqual(['one']);
    expect(catalogue.lists().map(({ name }) => name)).toEqual(['two']);
    const readiness = createReadiness();
    const metrics = { addGauge() {} };
    watchDatasetAges({ clock: createManualClock(), metrics, readiness }, catalogue, 0);
    const { status, checks } = await readiness.report();
    expect(status).toBe('ready');
    expect(checks['datasets']).toBe('ready; cannot be read: one');
  });

  it('reports that the whole folder is unreadable', async () => {
    const { catalogue, folder } = await open();
    rmSync(folder.path, { recursive: true, force: true });
    writeFileSync(folder.path, 'no folder');
    catalogue.start();
    await until(() => catalogue.unread().length === 1);
    expect(catalogue.unread()[0]).toContain('whatever is in the dataset folder');
    expect(stateOf(catalogue, 'default')?.problem).toContain('whatever is in the dataset folder');
  });

  it('makes a request wait only for its own dataset, which is loaded first', async () => {
    const { catalogue, store, hold, release, opened } = await open();
    for (const name of ['one', 'three', 'two']) await store(name);
    for (const name of ['one', 'three']) hold(name);
    catalogue.start();
    await until(() => opened.length === 1);
    let waited = false;
    const selecting = catalogue.select('two').then((selection) => {
      waited = true;
      return selection;
    });
    const collection = catalogue.select('sanctions');
    expect(waited).toBe(false);
    release('one');
    expect(await selecting).toMatchObject({ version: '1', topic: 'all', warning: undefined });
    expect(opened.slice(0, 2)).toEqual(['one', 'two']);
    release('three');
    expect(await collection).toMatchObject({ version: 'one@1, three@1, two@1', topic: 'sanctions' });
  });

  it('ends after the lists were compared with those of other machines and loaded', async () => {
    let isCompared = false;
    const { catalogue, store, hold, release } = await open({ isCompared: () => isCompared });
    await store('one');
    catalogue.start();
    await until(() => catalogue.progress().startsWith('comparing lists with other machines'));
    const warning = expect.stringContaining('have not been compared');
    expect(await catalogue.select('one')).toMatchObject({ version: '1', warning });
    expect(await catalogue.select('sanctions')).toMatchObject({ version: 'one@1', warning });
    await expect(catalogue.select('two')).rejects.toMatchObject({ code: 'unavailable', message: warning });
    hold('two');
    await store('two');
    isCompared = true;
    await until(() => catalogue.progress() === 'loading two (3 of 3)');
    const both = catalogue.select('sanctions');
    release('two');
    expect(await both).toMatchObject({ version: 'one@1, two@1', warning: undefined });
    await until(() => catalogue.progress() === 'ready');
    expect((await catalogue.select('one')).warning).toBeUndefined();
    await expect(catalogue.select('three')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('loads only the requested lists if it is lazy', async () => {
    const { catalogue, store, opened } = await open({ eager: false });
    await store('one');
    await store('two');
    expect(await catalogue.select('two')).toMatchObject({ version: '1' });
    expect(opened).toEqual(['two']);
    await expect(catalogue.select('three')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a list that changes', () => {
  it('is switched once loaded; the old version is freed after its last reader', async () => {
    const { catalogue, store, hold, release, retired } = await open();
    await store('one');
    catalogue.start();
    const [first, second] = [await catalogue.select('one'), await catalogue.select('one')];
    hold('one');
    await store('one', '2');
    const third = await catalogue.select('one');
    expect(third.version).toBe('1'); // Readers still use the new version.
    release('one');
    await until(() => stateOf(catalogue, 'one')?.version === '2');
    const fourth = await catalogue.select('one');
    expect(fourth.version).toBe('2');
    first.release();
    first.release();
    fourth.release();
    second.release();
    expect(retired).toEqual([]);
    third.release();
    expect(retired).toEqual(first.editions);
  });

  it('is awaited by requests that name it, but not by collections that lacked it before', async () => {
    const { catalogue, store, hold, release, opened } = await open();
    await store('one');
    catalogue.start();
    expect((await catalogue.select('sanctions')).version).toBe('one@1');
    hold('two');
    await store('two');
    const named = catalogue.select('two');
    await until(() => opened.includes('two'));
    const { version, warning } = await catalogue.select('sanctions');
    expect({ version, warning }).toEqual({
      version: 'one@1',
      warning: 'Not searched, because they are still loading: two.',
    });
    expect(catalogue.progress()).toBe('ready');
    release('two');
    expect((await named).version).toBe('1');
    expect(await catalogue.select('sanctions')).toMatchObject({ version: 'one@1, two@1', warning: undefined });
  });

  it('is released when it is removed', async () => {
    const { catalogue, store, folder, retired } = await open();
    await store('one');
    catalogue.start();
    const selection = await catalogue.select('one');
    await folder.remove('one');
    await until(() => stateOf(catalogue, 'one') === undefined);
    expect(retired).toEqual([]);
    selection.release();
    expect(retired).toEqual(selection.editions);
    await expect(catalogue.select('one')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a list that cannot be loaded', () => {
  it('is refused, named by collections, and retried after a minute or when it changes', async () => {
    const { catalogue, store, failing, clock } = await open();
    await store('one');
    await store('two');
    failing.add('one');
    catalogue.start();
    await expect(catalogue.select('one')).rejects.toMatchObject({ code: 'unavailable' });
    expect((await catalogue.select('sanctions')).warning).toBe('Not searched, because they could not be loaded: one.');
    expect(stateOf(catalogue, 'one')).toMatchObject({ status: 'failed', problem: expect.any(String) });
    expect(catalogue.progress()).toBe('ready');
    failing.clear();
    clock.advance(59_999);
    await expect(catalogue.select('one')).rejects.toMatchObject({ code: 'unavailable' });
    clock.advance(1);
    await until(() => stateOf(catalogue, 'one')?.status === 'ready');
    expect((await catalogue.select('sanctions')).warning).toBeUndefined();
    failing.add('two');
    await store('two', '2');
    await until(() => stateOf(catalogue, 'two')?.problem !== undefined);
    expect((await catalogue.select('two')).version).toBe('1'); // The old version stays active.
    failing.clear();
    await store('two', '3');
    await until(() => stateOf(catalogue, 'two')?.version === '3');
    expect(stateOf(catalogue, 'two')?.problem).toBeUndefined();
  });

  it('is not reported by a collection to which it contributes nothing', async () => {
    const { catalogue, store, failing } = await open();
    await store('one'); // Sanctions only, no politically exposed persons.
    await store('two');
    failing.add('one');
    catalogue.start();
    expect((await catalogue.select('sanctions')).warning).toBe('Not searched, because they could not be loaded: one.');
    expect((await catalogue.select('peps')).warning).not.toContain('Not searched');
    expect(stateOf(catalogue, 'peps')?.problem).not.toContain('Not searched');
  });
});
