// Lists of OpenSanctions: versions, checksums, and the short way by deltas that must arrive where the long way does.
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { entitiesOf } from '@limen/screening';
import { describe, expect, it } from 'vitest';
import { createTestTools, forgetLoader, storeList } from '#testing/screening/dataset-tools.ts';
import { ftmList, ftmPerson, sha1, startPublisher } from '#testing/screening/publisher.ts';
import { loadRemote, type SyncOptions, syncDataset } from './sync.ts';

const A = ftmPerson('a', 'Maria Beispiel');
const B = ftmPerson('b', 'Otto Muster');
const C = ftmPerson('c', 'Ida Neu');
const D = ftmPerson('d', 'Emil Neuer');
const change = (op: string, entity: string) => `{"op":"${op}","entity":${entity}}`;

interface Version {
  version: string;
  people: string[];
  checksum?: string;
  /** Of all versions so far; undefined: none are offered. */
  deltas?: Record<string, string>;
  /** Instead of the true one. */
  count?: number;
}

async function prepare() {
  const { base, files, requests } = await startPublisher();
  const tools = createTestTools();
  const publish = ({ version, people, checksum, deltas, count = people.length }: Version) => {
    const body = ftmList(...people);
    const resources = [{ name: 'entities.ftm.json', url: `${base}/${version}/all`, checksum: checksum ?? sha1(body) }];
    const targets = { schemata: [{ name: 'Person', count }] };
    const index = { name: 'x', version, resources, targets, ...(deltas && { delta_url: `${base}/deltas` }) };
    files.set('/index.json', { body: JSON.stringify(index) });
    files.set(`/${version}/all`, { body });
    const versions = Object.fromEntries(Object.keys(deltas ?? {}).map((of) => [of, `${base}/${of}/delta`]));
    files.set('/deltas', { body: JSON.stringify({ versions }) });
    for (const [of, delta] of Object.entries(deltas ?? {})) files.set(`/${of}/delta`, { body: delta });
  };
  const load = () => loadRemote('one', { kind: 'opensanctions', indexUrl: `${base}/index.json` }, tools);
  const sync = async (options?: SyncOptions) => {
    requests.length = 0;
    return syncDataset('one', tools, options);
  };
  const captions = async () =>
    [...entitiesOf(await tools.folder.openIndex((await tools.folder.find('one'))!))].map(({ caption }) => caption);
  return { base, files, requests, tools, publish, load, sync, captions };
}

/** Version 1 is loaded; version 3 is published, with a delta for 2 and one for 3. */
async function prepareDeltas(changes: Partial<Version> = {}) {
  const prepared = await prepare();
  const sync = { files: [], openSanctions: { indexUrl: `${prepared.base}/index.json`, publishedPeople: 2 } };
  await storeList(prepared.tools, { name: 'one', body: ftmList(A, B), version: '1', sync });
  const deltas = {
    1: '',
    2: ftmList(change('ADD', C), change('DEL', '{"id":"b"}')),
    3: ftmList(change('ADD', D), change('MOD', ftmPerson('a', 'Maria Anders'))),
  };
  prepared.publish({ version: '3', people: [ftmPerson('a', 'Maria Anders'), C, D], deltas, ...changes });
  return prepared;
}

const NOW = ['Maria Anders', 'Ida Neu', 'Emil Neuer'];

describe('a list of OpenSanctions', () => {
  it('has the publisher’s version and is left alone while that is the same', async () => {
    const { tools, publish, load, sync, requests } = await prepare();
    publish({ version: '20260101-x', people: [A, B] });
    const { info } = await load();
    expect(info).toMatchObject({ version: '20260101-x', format: 'ftm-json', entityCount: 2 });
    tools.clock.advance(3_600_000);
    expect(await sync()).toMatchObject({
      state: 'unchanged',
      info: { sync: { checkedAt: '2026-01-01T01:00:00.000Z' } },
    });
    expect(requests).toEqual(['/index.json 200']);
  });

  it('of the same version is fetched again when its index is damaged', async () => {
    const { tools, publish, load, sync, requests, captions } = await prepare();
    publish({ version: '1', people: [A, B] });
    const { info } = await load();
    truncateSync(join(tools.folder.path, 'one', info.indexFile), 100);
    expect(await sync()).toMatchObject({ state: 'loaded', how: 'full', fallback: 'The index on disk is damaged.' });
    expect(requests).toEqual(['/index.json 200', '/1/all 200']);
    expect(await captions()).toEqual(['Maria Beispiel', 'Otto Muster']);
  });

  it('is fetched whole when an older loader read it, whether or not there are deltas', async () => {
    const prepared = await prepareDeltas();
    forgetLoader(prepared.tools, 'one');
    const fallback = expect.stringContaining('older version');
    expect(await prepared.sync()).toMatchObject({ state: 'loaded', how: 'full', fallback });
    expect(await prepared.captions()).toEqual(NOW);
    forgetLoader(prepared.tools, 'one');
    expect(await prepared.sync()).toMatchObject({ state: 'loaded', how: 'full' });
    expect(await prepared.sync()).toMatchObject({ state: 'unchanged' });
  });

  it('that is not what its checksum says is refused', async () => {
    const { tools, publish, load, sync, captions } = await prepare();
    publish({ version: '1', people: [A, B], checksum: sha1('something else') });
    await expect(load()).rejects.toThrow('does not have the checksum');
    expect(await tools.folder.find('one')).toBeUndefined();
    publish({ version: '1', people: [A, B] });
    await load();
    publish({ version: '2', people: [A, B, C], checksum: sha1('something else') });
    await expect(sync()).rejects.toThrow('does not have the checksum');
    expect(await captions()).toEqual(['Maria Beispiel', 'Otto Muster']);
  });

  it('needs an index that is one', async () => {
    const { files, load } = await prepare();
    files.set('/index.json', { body: '{"hello":1}' });
    await expect(load()).rejects.toThrow('not an index of OpenSanctions');
    files.set('/index.json', { body: 'hello' });
    await expect(load()).rejects.toThrow('is not JSON');
  });
});

describe('deltas', () => {
  it('lead to the new version without the whole list', async () => {
    const { sync, captions, requests } = await prepareDeltas();
    expect(await sync()).toMatchObject({ state: 'loaded', how: 'deltas', info: { version: '3', people: 3 } });
    expect(requests).toEqual(['/index.json 200', '/deltas 200', '/2/delta 200', '/3/delta 200']);
    expect(await captions()).toEqual(NOW);
    expect(await sync()).toMatchObject({ state: 'unchanged' });
  });

  it('are not used by force', async () => {
    const { sync, captions, requests } = await prepareDeltas();
    expect(await sync({ force: true })).toMatchObject({ state: 'loaded', how: 'full' });
    expect(requests).toEqual(['/index.json 200', '/3/all 200']);
    expect(await captions()).toEqual(NOW);
  });

  const broken: [string, Partial<Version>, string][] = [
    ['are not offered', { deltas: undefined as never }, 'offers no deltas'],
    ['begin too late', { deltas: { 2: '', 3: '' } }, 'do not lead'],
    ['end too early', { deltas: { 1: '', 2: '' } }, 'do not lead'],
    ['hold a broken line', { deltas: { 1: '', 3: `${change('ADD', C)}\n{"op":` } }, 'lines that cannot be used'],
    [
      'do not arrive at the publisher’s count',
      { deltas: { 1: '', 3: change('ADD', C) }, count: 9 },
      'number of people',
    ],
  ];
  it.each(broken)('that %s give way to the whole list', async (_, changes, reason) => {
    const { sync, captions, requests } = await prepareDeltas(changes);
    expect(await sync()).toMatchObject({ state: 'loaded', how: 'full', fallback: expect.stringContaining(reason) });
    expect(requests.at(-1)).toBe('/3/all 200');
    expect(await captions()).toEqual(NOW);
  });

  it('of which one is missing give way to the whole list', async () => {
    const { files, sync, captions } = await prepareDeltas();
    files.delete('/2/delta');
    expect(await sync()).toMatchObject({
      state: 'loaded',
      how: 'full',
      fallback: expect.stringContaining('answered 404'),
    });
    expect(await captions()).toEqual(NOW);
  });

  it('cannot empty a list: then the whole one decides', async () => {
    const deltas = { 1: '', 3: ftmList(change('DEL', '{"id":"a"}'), change('DEL', '{"id":"b"}')) };
    const { sync, captions } = await prepareDeltas({ deltas, count: 0 });
    expect(await sync()).toMatchObject({ how: 'full', fallback: expect.stringContaining('would be empty') });
    expect(await captions()).toEqual(NOW);
  });

  it('are passed over when the index on disk is damaged', async () => {
    const { tools, sync, captions } = await prepareDeltas();
    truncateSync(join(tools.folder.path, 'one', (await tools.folder.find('one'))!.indexFile), 100);
    expect(await sync()).toMatchObject({ how: 'full', fallback: expect.stringContaining('is damaged') });
    expect(await captions()).toEqual(NOW);
  });
});
