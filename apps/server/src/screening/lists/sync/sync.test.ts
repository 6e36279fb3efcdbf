// Lists of plain files fetched from a real server on loopback, with every failure on the way.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listEntities } from '@limen/screening';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { describe, expect, it } from 'vitest';
import { createTestTools, forgetLoader, storeList, type TestTools } from '#testing/screening/dataset-tools.ts';
import { ftmCrowd, ftmList, ftmPerson, type PublishedFile, startPublisher } from '#testing/screening/publisher.ts';
import type { OutboundOptions } from '../../../platform/outbound/guarded-fetch.ts';
import { loadLocal, loadRemote, type SyncOptions, syncDataset } from './sync.ts';

const TWO = ftmList(ftmPerson('a', 'Maria Beispiel'), ftmPerson('b', 'Otto Muster'));
const THREE = ftmList(ftmPerson('a', 'Maria Beispiel'), ftmPerson('b', 'Otto Muster'), ftmPerson('c', 'Ida Neu'));

async function prepare(options: Partial<OutboundOptions> = {}) {
  const publisher = await startPublisher();
  const tools = createTestTools(options);
  const remote = {
    kind: 'files',
    format: undefined,
    files: [{ role: 'main', url: `${publisher.base}/list.json?token=secret` }],
  } as const;
  const publish = (body: string, headers: Record<string, string> = {}) =>
    publisher.files.set('/list.json?token=secret', { body, headers });
  const load = (sync?: SyncOptions) => loadRemote('one', remote, tools, sync);
  const sync = (options?: SyncOptions) => syncDataset('one', tools, options);
  const store = (body: string) =>
    storeList(tools, { name: 'one', body, sync: { files: remote.files.map((file) => ({ ...file, etag: '"0"' })) } });
  return { publisher, tools, publish, load, sync, store };
}

async function idsOf({ folder }: TestTools, name = 'one'): Promise<string[]> {
  const info = await folder.find(name);
  return info ? [...listEntities(await folder.openIndex(info))].map(({ id }) => id) : [];
}

function leftovers({ folder }: TestTools): string[] {
  return readdirSync(join(folder.path, '.incoming'));
}

describe('a list at an address', () => {
  it('is loaded with its format detected, and shown without the query of its address', async () => {
    const { tools, publish, load } = await prepare();
    publish(TWO, { etag: '"1"' });
    const outcome = await load();
    expect(outcome).toMatchObject({
      state: 'loaded',
      how: 'full',
      info: {
        format: 'ftm-json',
        source: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/list\.json$/),
        entityCount: 2,
        version: '2026-01-01T00:00:00.000Z',
        sync: { files: [{ role: 'main', etag: '"1"', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }] },
      },
    });
    expect(await idsOf(tools)).toEqual(['a', 'b']);
    expect(leftovers(tools)).toEqual([]);
  });

  it.each([
    ['an etag', { etag: '"1"' }],
    ['a time', { 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' }],
  ])('with %s is not sent again while unchanged', async (_, headers) => {
    const { tools, publisher, publish, load, sync } = await prepare();
    publish(TWO, headers as Record<string, string>);
    const first = await load();
    tools.clock.advance(60_000);
    const second = await sync();
    expect(publisher.requests.map((line) => line.split(' ')[1])).toEqual(['200', '304']);
    expect(second.state).toBe('unchanged');
    expect(second.info).toMatchObject({
      indexFile: first.info.indexFile,
      version: first.info.version,
      sync: { checkedAt: '2026-01-01T00:01:00.000Z' },
    });
    expect(await tools.folder.find('one')).toEqual(second.info);
  });

  it('is not rebuilt if a server without conditional requests sends the same bytes', async () => {
    const { publisher, publish, load, sync } = await prepare();
    publish(TWO);
    const first = await load();
    const second = await sync();
    expect(publisher.requests.map((line) => line.split(' ')[1])).toEqual(['200', '200']);
    expect(second).toMatchObject({ state: 'unchanged', info: { indexFile: first.info.indexFile } });
  });

  it('is replaced when it has changed', async () => {
    const { tools, publish, load, sync } = await prepare();
    publish(TWO, { etag: '"1"' });
    await load();
    publish(THREE, { etag: '"2"' });
    expect(await sync()).toMatchObject({ state: 'loaded', info: { entityCount: 3 } });
    expect(await idsOf(tools)).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ...onlyWhenLong<[string, (path: string) => void][]>(
      [
        ['overwritten', (path) => writeFileSync(path, 'something else')],
        ['gone', (path) => rmSync(path)],
      ],
      [],
    ),
    [
      'replaced',
      (path: string) => {
        const bytes = readFileSync(path);
        bytes[bytes.length - 1]! ^= 1;
        writeFileSync(path, bytes);
      },
    ],
  ] as [string, (path: string) => void][])(
    'is fetched again if its index is %s, even if unchanged',
    async (_, damage) => {
      const { tools, publisher, publish, load, sync } = await prepare();
      publish(TWO, { etag: '"1"' });
      const { info } = await load();
      damage(join(tools.folder.path, 'one', info.indexFile));
      expect(await sync()).toMatchObject({ state: 'loaded' });
      expect(publisher.requests.map((line) => line.split(' ')[1])).toEqual(['200', '200']);
      expect(await idsOf(tools)).toEqual(['a', 'b']);
    },
  );

  it('is fetched again if an older loader read it, even if unchanged', async () => {
    const { tools, publish, load, sync } = await prepare();
    publish(TWO, { etag: '"1"' });
    const { info } = await load();
    forgetLoader(tools, 'one');
    expect(await sync()).toMatchObject({ state: 'loaded', info: { loader: info.loader } });
    expect(await sync()).toMatchObject({ state: 'unchanged' });
  });

  it('is fetched and rebuilt when forced', async () => {
    const { publisher, publish, load, sync } = await prepare();
    publish(TWO, { etag: '"1"' });
    const first = await load();
    const second = await sync({ force: true });
    expect(second.state).toBe('loaded');
    expect(second.info.indexFile).not.toBe(first.info.indexFile);
    expect(publisher.requests.map((line) => line.split(' ')[1])).toEqual(['200', '200']);
  });

  it('is followed to its new address', async () => {
    const { tools, publisher, load } = await prepare();
    publisher.files.set('/list.json?token=secret', { body: '', status: 302, headers: { location: '/new' } });
    publisher.files.set('/new', { body: TWO });
    await load();
    expect(await idsOf(tools)).toEqual(['a', 'b']);
  });

  it('reports progress while it is downloaded and read', async () => {
    const { publish, load } = await prepare();
    publish(TWO, { 'content-length': String(TWO.length) });
    const steps: unknown[] = [];
    await load({ onStep: (step) => steps.push(step) });
    expect(steps).toContainEqual({ step: 'download', file: 'list.json', received: TWO.length, expected: TWO.length });
    expect(steps.at(-1)).toMatchObject({ step: 'read', bytesRead: TWO.length, entities: 2 });
  });
});

describe('the three files of OFAC', () => {
  const SDN = '1,"BEISPIEL, Maria","individual","TEST",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"DOB 01 Jan 1970."\n';
  const ALT = '1,11,"aka","MUSTER, Maria",-0- \n';
  const ADD = '1,21,"Hauptstr. 1","Berlin","Germany",-0- \n';

  async function prepareOfac() {
    const publisher = await startPublisher();
    const tools = createTestTools();
    const publish = (name: string, body: string, etag: string) =>
      publisher.files.set(`/${name}`, { body, headers: { etag } });
    publish('SDN.CSV', SDN, '"s1"');
    publish('ALT.CSV', ALT, '"a1"');
    publish('ADD.CSV', ADD, '"d1"');
    const url = (name: string) => `${publisher.base}/${name}`;
    const files = [
      { role: 'main', url: url('SDN.CSV') },
      { role: 'aliases', url: url('ALT.CSV') },
      { role: 'addresses', url: url('ADD.CSV') },
    ] as const;
    await loadRemote('one', { kind: 'files', format: 'ofac-csv', files }, tools);
    const names = async () => {
      const [entity] = listEntities(await tools.folder.openIndex((await tools.folder.find('one'))!));
      return entity!.names.map((name) => name.toLowerCase());
    };
    return { publisher, tools, publish, names };
  }

  it('form one list, and none is sent again while all are unchanged', async () => {
    const { publisher, tools, names } = await prepareOfac();
    expect((await names()).join()).toContain('muster');
    publisher.requests.length = 0;
    expect(await syncDataset('one', tools)).toMatchObject({ state: 'unchanged' });
    expect(publisher.requests).toEqual(['/SDN.CSV 304', '/ALT.CSV 304', '/ADD.CSV 304']);
  });

  it('are all fetched if one has changed', async () => {
    const { publisher, tools, publish, names } = await prepareOfac();
    publish('ALT.CSV', ALT.replace('MUSTER', 'ANDERS'), '"a2"');
    publisher.requests.length = 0;
    expect(await syncDataset('one', tools)).toMatchObject({ state: 'loaded' });
    expect(publisher.requests.toSorted()).toEqual([
      '/ADD.CSV 200',
      '/ADD.CSV 304',
      '/ALT.CSV 200',
      '/SDN.CSV 200',
      '/SDN.CSV 304',
    ]);
    expect((await names()).join()).toContain('anders');
    expect((await names()).join()).not.toContain('muster');
  });
});

describe('the existing list stays after', () => {
  it.each([
    ['500', (file) => ({ ...file, status: 500 }), 'answered 500'],
    ['404', (file) => ({ ...file, status: 404 }), 'answered 404'],
    ['an empty file', () => ({ body: '' }), 'The file is empty'],
    ['a truncated file', () => ({ body: THREE.slice(0, -20) }), 'seems to be cut off'],
    ['a web page instead of a list', () => ({ body: '<html>Maintenance</html>' }), 'would be empty'],
    ['a list without people', () => ({ body: '{"id":"x","schema":"Address","properties":{}}\n' }), 'would be empty'],
    ['circular redirects', () => ({ body: '', status: 302, headers: { location: '?token=secret' } }), 'redirects more'],
    [
      'a redirect to the metadata service',
      () => ({ body: '', status: 302, headers: { location: 'http://169.254.169.254/' } }),
      'link-local',
    ],
    ['a compressed reply', (file) => ({ ...file, headers: { 'content-encoding': 'gzip' } }), 'answered packed'],
    [
      'an oversized file',
      () => ({
        body: '',
        answer: (reply) => void reply.writeHead(200, { 'content-length': 17 * 2 ** 30 }).write(THREE),
      }),
      'sends more than',
    ],
    [
      'a body that breaks off',
      () => ({
        body: '',
        answer: (reply) => {
          reply.writeHead(200, { 'content-length': 10_000 });
          reply.write(THREE, () => reply.destroy());
        },
      }),
      'broke before everything had arrived',
    ],
    [
      'a body of unknown length that breaks off',
      () => ({ body: '', answer: (reply) => void reply.write(THREE, () => reply.destroy()) }),
      'broke before everything had arrived',
    ],
    [
      'a body that falls silent',
      () => ({ body: '', answer: (reply) => void reply.write(THREE) }),
      'did not answer in time',
    ],
  ] as [string, (file: PublishedFile) => PublishedFile, string][])('%s', async (_, breaking, sentence) => {
    const { tools, publisher, publish, store, sync } = await prepare({ idleTimeoutMs: 200 });
    const before = await store(TWO);
    const path = '/list.json?token=secret';
    publish(TWO);
    publisher.files.set(path, breaking({ ...publisher.files.get(path)!, headers: {} }));
    const failing = sync();
    await expect(failing).rejects.toThrow(sentence);
    await expect(failing).rejects.not.toThrow('secret');
    expect(await tools.folder.find('one')).toEqual(before);
    expect(await idsOf(tools)).toEqual(['a', 'b']);
    expect(leftovers(tools)).toEqual([]);
  });

  it('a list that lost more than half, unless forced', async () => {
    const { tools, publish, store, sync } = await prepare();
    await store(ftmCrowd(5));
    publish(ftmCrowd(2), { etag: '"2"' });
    await expect(sync()).rejects.toThrow('one would shrink from 5 to 2 entities');
    expect(await idsOf(tools)).toHaveLength(5);
    publish(ftmCrowd(3), { etag: '"3"' });
    expect(await sync()).toMatchObject({ state: 'loaded', info: { entityCount: 3 } });
    publish(ftmCrowd(1), { etag: '"4"' });
    expect(await sync({ force: true })).toMatchObject({ state: 'loaded', info: { entityCount: 1 } });
  });

  it('an empty list, even if forced', async () => {
    const { tools, publish, store, sync } = await prepare();
    await store(TWO);
    publish('{"id":"x","schema":"Address","properties":{}}\n');
    await expect(sync({ force: true })).rejects.toThrow('an empty list must clear no one');
    expect(await idsOf(tools)).toEqual(['a', 'b']);
  });

  it('a stop in the middle of the download', async () => {
    const { tools, publisher, store, sync } = await prepare();
    await store(TWO);
    publisher.files.set('/list.json?token=secret', { body: '', answer: (reply) => void reply.write(THREE) });
    const controller = new AbortController();
    const reason = new Error('stopped');
    const stopped = sync({ signal: controller.signal, onStep: () => controller.abort(reason) });
    await expect(stopped).rejects.toBe(reason);
    expect(await idsOf(tools)).toEqual(['a', 'b']);
    expect(leftovers(tools)).toEqual([]);
  });

  it('another process that writes the same list', async () => {
    const { tools, publish, publisher, load } = await prepare();
    publish(TWO);
    const opened = Promise.withResolvers<() => void>();
    publisher.files.set('/list.json?token=secret', {
      body: '',
      answer: (reply) => opened.resolve(() => reply.end(TWO)),
    });
    const first = load();
    const finish = await opened.promise;
    await expect(load()).rejects.toThrow('Another process is writing one');
    finish();
    expect((await first).state).toBe('loaded');
    expect(await idsOf(tools)).toEqual(['a', 'b']);
  });
});

describe('a list from a file', () => {
  it('has no address to refresh from', async () => {
    const { tools } = await prepare();
    const main = join(tools.dataDir, 'people.ftm.json');
    writeFileSync(main, TWO);
    const list = { format: undefined, files: { main }, source: 'people.ftm.json' };
    const { info } = await loadLocal('mine', list, tools);
    expect(info).toMatchObject({ name: 'mine', source: 'people.ftm.json', format: 'ftm-json', entityCount: 2 });
    expect(info.sync).toBeUndefined();
    expect(readFileSync(main, 'utf8')).toBe(TWO);
    await expect(syncDataset('mine', tools)).rejects.toThrow('It has no address to refresh it from');
    await expect(syncDataset('nobody', tools)).rejects.toThrow('There is no list with this name');
  });

  it('under a reserved name is refused before anything is read', async () => {
    const { tools } = await prepare();
    const list = { format: undefined, files: { main: '/nowhere' }, source: 'nowhere' };
    await expect(loadLocal('default', list, tools)).rejects.toThrow('The name default is taken');
    await expect(loadRemote('../x', { kind: 'files', format: undefined, files: [] }, tools)).rejects.toThrow('name');
  });
});
