// Lists of OpenSanctions: versions, checksums, and deltas that must give the same result as the
// whole list.
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { listEntities } from '@limen/screening';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTestTools, forgetLoader, storeList } from '#testing/screening/dataset-tools.ts';
import { ftmList, ftmPerson, sha1, startPublisher } from '#testing/screening/publisher.ts';
import { parseOpenSanctionsIndex, planDeltas } from './opensanctions.ts';
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
  /** Deltas of all versions so far; undefined if none are offered */
  deltas?: Record<string, string>;
  /** Wrong count instead of the true one */
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
    [...listEntities(await tools.folder.openIndex((await tools.folder.find('one'))!))].map(({ caption }) => caption);
  return { base, files, requests, tools, publish, load, sync, captions };
}

/** Loads version 1 and publishes version 3, with a delta for 2 and one for 3. */
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
  it("has the publisher's version and is left unchanged while that is the same", async () => {
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

  it('of the same version is fetched again if its index is damaged', async () => {
    const { tools, publish, load, sync, requests, captions } = await prepare();
    publish({ version: '1', people: [A, B] });
    const { info } = await load();
    truncateSync(join(tools.folder.path, 'one', info.indexFile), 100);
    expect(await sync()).toMatchObject({ state: 'loaded', how: 'full', fallback: 'The index on disk is damaged.' });
    expect(requests).toEqual(['/index.json 200', '/1/all 200']);
    expect(await captions()).toEqual(['Maria Beispiel', 'Otto Muster']);
  });

  it('is fetched completely if an older loader read it, with or without deltas', async () => {
    const prepared = await prepareDeltas();
    forgetLoader(prepared.tools, 'one');
    const fallback = expect.stringContaining('older version');
    expect(await prepared.sync()).toMatchObject({ state: 'loaded', how: 'full', fallback });
    expect(await prepared.captions()).toEqual(NOW);
    forgetLoader(prepared.tools, 'one');
    expect(await prepared.sync()).toMatchObject({ state: 'loaded', how: 'full' });
    expect(await prepared.sync()).toMatchObject({ state: 'unchanged' });
  });

  it('is refused if its checksum does not match', async () => {
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

  it('requires a valid index', async () => {
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

  it('are not used when forced', async () => {
    const { sync, captions, requests } = await prepareDeltas();
    expect(await sync({ force: true })).toMatchObject({ state: 'loaded', how: 'full' });
    expect(requests).toEqual(['/index.json 200', '/3/all 200']);
    expect(await captions()).toEqual(NOW);
  });

  const broken: [string, Partial<Version>, string][] = [
    ['are not offered', { deltas: undefined as never }, 'offers no deltas'],
    ['begin too late', { deltas: { 2: '', 3: '' } }, 'do not lead'],
    ['end too early', { deltas: { 1: '', 2: '' } }, 'do not lead'],
    ['contain a broken line', { deltas: { 1: '', 3: `${change('ADD', C)}\n{"op":` } }, 'lines that cannot be used'],
    [
      'do not add up to the publisher’s count',
      { deltas: { 1: '', 3: change('ADD', C) }, count: 9 },
      'number of people',
    ],
  ];
  it.each(broken)('that %s are replaced by the whole list', async (_, changes, reason) => {
    const { sync, captions, requests } = await prepareDeltas(changes);
    expect(await sync()).toMatchObject({ state: 'loaded', how: 'full', fallback: expect.stringContaining(reason) });
    expect(requests.at(-1)).toBe('/3/all 200');
    expect(await captions()).toEqual(NOW);
  });

  it('with a missing one are replaced by the whole list', async () => {
    const { files, sync, captions } = await prepareDeltas();
    files.delete('/2/delta');
    expect(await sync()).toMatchObject({
      state: 'loaded',
      how: 'full',
      fallback: expect.stringContaining('answered 404'),
    });
    expect(await captions()).toEqual(NOW);
  });

  it('cannot empty a list: then the whole list decides', async () => {
    const deltas = { 1: '', 3: ftmList(change('DEL', '{"id":"a"}'), change('DEL', '{"id":"b"}')) };
    const { sync, captions } = await prepareDeltas({ deltas, count: 0 });
    expect(await sync()).toMatchObject({ how: 'full', fallback: expect.stringContaining('would be empty') });
    expect(await captions()).toEqual(NOW);
  });

  it('are ignored if the index on disk is damaged', async () => {
    const { tools, sync, captions } = await prepareDeltas();
    truncateSync(join(tools.folder.path, 'one', (await tools.folder.find('one'))!.indexFile), 100);
    expect(await sync()).toMatchObject({ how: 'full', fallback: expect.stringContaining('is damaged') });
    expect(await captions()).toEqual(NOW);
  });
});

const INDEX_URL = 'https://data.example.org/datasets/latest/x/index.json';
const SHA1 = 'da39a3ee5e6b4b0d3255bfef95601890afd80709';

describe('an index', () => {
  it('names version, file, checksum, deltas and people', () => {
    const index = {
      name: 'x',
      version: '20260101000000-abc',
      delta_url: 'https://data.example.org/deltas/x/delta.json',
      targets: {
        total: 12,
        schemata: [
          { name: 'Company', count: 2 },
          { name: 'Person', count: 10 },
        ],
      },
      resources: [
        { name: 'targets.simple.csv', url: 'https://data.example.org/t.csv' },
        { name: 'entities.ftm.json', url: 'https://data.example.org/e.json', checksum: SHA1, size: 5 },
      ],
    };
    expect(parseOpenSanctionsIndex(index, INDEX_URL)).toEqual({
      version: '20260101000000-abc',
      entities: { url: 'https://data.example.org/e.json', sha1: SHA1 },
      deltaUrl: 'https://data.example.org/deltas/x/delta.json',
      people: 10,
    });
  });

  it.each([
    [{ version: '1', resources: [] }],
    [{ resources: [{ name: 'entities.ftm.json', url: 'https://a.example/' }] }],
    [{ version: '1', resources: [{ name: 'entities.ftm.json', url: 'http://a.example/' }] }],
    [{ version: '1', resources: [{ name: 'entities.ftm.json', url: 'file:///etc/passwd' }] }],
    [{ version: 1, resources: [{ name: 'entities.ftm.json', url: 'https://a.example/' }] }],
  ])('is refused as %j', (index) => {
    expect(() => parseOpenSanctionsIndex(index, INDEX_URL)).toThrow('not an index of OpenSanctions');
  });

  it('is refused or understood, whatever it contains', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(() => parseOpenSanctionsIndex(value, INDEX_URL)).toThrow('not an index of OpenSanctions');
        expect(planDeltas(value, { from: '1', to: '2', indexUrl: INDEX_URL })).toBeUndefined();
      }),
    );
  });
});

describe('the deltas between two versions', () => {
  const url = (version: string) => `https://data.example.org/${version}.json`;
  const published = (...versions: string[]) => ({ versions: Object.fromEntries(versions.map((v) => [v, url(v)])) });
  const plan = (index: unknown, from: string, to: string) =>
    planDeltas(index, { from, to, indexUrl: INDEX_URL })?.map((address) => /(\w+)\.json$/.exec(address)?.[1]);

  it('are sorted oldest first, without those before and after', () => {
    expect(plan(published('30', '10', '50', '20', '40'), '20', '40')).toEqual(['30', '40']);
  });

  it('need not contain the loaded version itself, because one without changes has none', () => {
    expect(plan(published('10', '30'), '20', '30')).toEqual(['30']);
  });

  it.each([
    ['the oldest is newer than the loaded version', published('30', '40'), '20', '40'],
    ['the newest is missing', published('10', '20', '30'), '20', '40'],
    ['there are none', published(), '20', '40'],
    ['the publisher went back to an earlier version', published('10', '20', '30'), '30', '20'],
    ['one has an unsafe address', { versions: { 10: url('10'), 30: 'http://a.example/', 40: url('40') } }, '20', '40'],
  ])('are not used if %s', (_, index, from, to) => {
    expect(plan(index, from, to)).toBeUndefined();
  });

  it('are not used if there are too many', () => {
    const many = Array.from({ length: 102 }, (_, number) => String(1000 + number));
    expect(plan(published(...many), '1001', '1101')).toHaveLength(100);
    expect(plan(published(...many), '1000', '1101')).toBeUndefined();
  });
});
