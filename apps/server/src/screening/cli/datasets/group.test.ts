// `limen datasets` as an operator runs it, on its own folders and against a publisher on loopback.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IS_LONG, onlyWhenLong } from '@limen/testing/rounds.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runLimenHere } from '#testing/run-limen.ts';
import { ftmCrowd, ftmList, ftmPerson, startPublisher } from '#testing/screening/publisher.ts';
import { createDatasetFolder } from '../../lists/folder/folder.ts';

const TWO = ftmList(ftmPerson('a', 'Maria Beispiel'), ftmPerson('b', 'Otto Muster'));

const TABLE = [
  'id,schema,name,aliases,birth_date,countries,addresses,identifiers,sanctions,phones,emails,dataset,first_seen,last_seen,last_change',
  '"a","Person","Maria Beispiel","","1970","","","","S","","","Test","2026","2026","2026"',
  '"b","Person","Otto Muster","","1970","","","","S","","","Test","2026","2026","2026"\n',
].join('\n');
const individual = (number: string, name: string) =>
  `<INDIVIDUAL><REFERENCE_NUMBER>${number}</REFERENCE_NUMBER><FIRST_NAME>${name}</FIRST_NAME></INDIVIDUAL>`;
const UN = `<?xml version="1.0"?>
<CONSOLIDATED_LIST dateGenerated="2026-01-01"><INDIVIDUALS>
${individual('T.1', 'MARIA BEISPIEL')}
${individual('T.2', 'OTTO MUSTER')}
</INDIVIDUALS></CONSOLIDATED_LIST>
`;

function prepare() {
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-cli-datasets-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const environment = { DATA_DIR: join(dataDir, 'data') };
  const write = (name: string, text: string) => {
    writeFileSync(join(dataDir, name), text);
    return join(dataDir, name);
  };
  const limen = (...args: string[]) => runLimenHere(['datasets', ...args], { environment });
  const listed = async () => JSON.parse((await limen('list', '--json')).stdout) as Record<string, unknown>[];
  return { environment, write, limen, listed, datasets: join(environment.DATA_DIR, 'datasets') };
}

describe('datasets add', () => {
  it('explains what to do if the publisher is unreachable', async () => {
    const { limen } = prepare();
    const { code, stderr } = await limen('add', 'house_list', 'http://127.0.0.1:1/list.ftm.json');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/ECONNREFUSED.*limen datasets add NAME FILE…\n$/)]);
  });

  it('names the first unusable values, or all on request, and counts missing people', async () => {
    const { write, limen } = prepare();
    const rows = Array.from({ length: 7 }, (_, at) => `p${at},Person,"Nobody Number ${at}",when\n`);
    const file = write('list.csv', `id,schema,name,birth_date\n${rows.join('')}q,Person,${'x'.repeat(200_000)},\n`);
    const { code, stderr } = await limen('add', 'house_list', file);
    expect([code, stderr.match(/birth date "when"/g)?.length]).toEqual([0, 5]);
    expect(stderr).toMatch(/^Not everything could be used; 1 entry is missing from the list:$/m);
    expect(stderr).toMatch(/^ {2}and 3 more; --problems shows them$/m);
    const all = await limen('add', 'house_list', file, '--problems');
    expect([all.code, all.stderr.match(/birth date "when"/g)?.length]).toEqual([0, 7]);
    expect(all.stderr).toMatch(/record q \(line 9\): The record has no usable name/);
    expect(all.stderr).not.toMatch(/more/);
  });

  it('loads a file, and reports its contents and when a server uses it', async () => {
    const { write, limen, listed } = prepare();
    const file = write('list.ftm.json', `${TWO}broken line\n`);
    const { code, stdout, stderr } = await limen('add', 'house_list', file);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Loaded house_list\.$/m);
    expect(stdout).toMatch(/^ {2}format {4}ftm-json$/m);
    expect(stdout).toMatch(/^ {2}entities {2}2 \(2 people\)$/m);
    expect(stdout).toMatch(/^ {2}memory {4}\d.* \w*B$/m);
    expect(stdout).toMatch(/^ {2}problems {2}1$/m);
    expect(stdout).toContain('within a few seconds');
    expect(stdout).toMatch(/^ {2}left out {2}1 entry$/m);
    expect(stderr).toBe(
      'Not everything could be used; 1 entry is missing from the list:\n  line 3: The line is not JSON.\n',
    );
    expect(await listed()).toEqual([
      {
        name: 'house_list',
        format: 'ftm-json',
        source: 'list.ftm.json',
        version: expect.any(String),
        entityCount: 2,
        people: 2,
        sanctions: 2,
        peps: 0,
        builtAt: expect.stringMatching(/^\d{4}-.*Z$/),
        bytes: expect.any(Number),
        problemCount: 1,
      },
    ]);
  });

  it("loads OFAC's files together, and misses the aliases without alt.csv", async () => {
    const { write, limen, listed } = prepare();
    const sdn = write(
      'sdn.csv',
      '1,"BEISPIEL, Maria","individual","TEST",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"DOB 1970."\n',
    );
    const alt = write('alt.csv', '1,11,"aka","MUSTER, Maria",-0- \n');
    const whole = await limen('add', 'us_ofac_sdn', sdn, alt);
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    const part = await limen('add', 'us_ofac_sdn', sdn);
    expect(part).toMatchObject({ code: 0, stderr: expect.stringContaining('Without alt.csv') });
    expect(await listed()).toMatchObject([{ name: 'us_ofac_sdn', format: 'ofac-csv', source: 'sdn.csv' }]);
  });

  it.each([
    ['semicolons', 'id;schema;name\n1;Person;A B\n', 'The header row is separated by semicolons. A list of your own'],
    ['no ids', 'schema,name\nPerson,A B\n', 'The header row lacks the column id. A list of your own'],
    ['both', '"schema";"name"\nPerson;A B\n', 'lacks the column id and is separated by semicolons.'],
    ['anything', 'hello\n', 'name it with --format (targets-simple-csv, ftm-json,'],
  ])('explains why a list is not recognized: %s', async (_, text, sentence) => {
    const { write, limen } = prepare();
    const { code, stderr } = await limen('add', 'mine', write('list.csv', text));
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
  });

  it.each([
    [['add', 'default', 'x.csv'], 'The name default is taken'],
    [['add', '../x', 'x.csv'], '1 to 64 of these characters'],
    [['add', 'mine'], 'Say where the list is'],
    [['add', 'mine', 'x.csv', '--format', 'tea-leaves'], 'Allowed choices are'],
    [['add'], "missing required argument 'name'"],
    [['remove', 'demo'], 'demo ships with the server: it is always there'],
    [['sync', 'demo'], 'demo ships with the server'],
    [['remove', 'peps'], 'peps is a collection of loaded lists'],
    [['add', 'mine', 'ftp://a.example/list.csv'], 'Only http:// and https:// addresses'],
  ])('rejects the arguments %j', async (args, sentence) => {
    const { limen, datasets } = prepare();
    const { code, stdout, stderr } = await limen(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(existsSync(datasets)).toBe(false);
  });

  it('refuses an unknown format, an empty list, and one that lost most of its people, and keeps the old list', async () => {
    const { write, limen, listed } = prepare();
    const add = (text: string, ...options: string[]) => limen('add', 'mine', write('list', text), ...options);
    expect(await add('hello\n')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('name it with --format'),
    });
    const nobody = await add('hello\n', '--format', 'ftm-json');
    expect(nobody).toMatchObject({ code: 1, stdout: '' });
    expect(nobody.stderr).toMatch(/line 1: The line is not JSON\.\n.*mine would be empty/);
    expect(await listed()).toEqual([]);
    await add(ftmCrowd(5));
    expect(await add(ftmCrowd(2))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('would shrink from 5 to 2'),
    });
    expect(await listed()).toMatchObject([{ entityCount: 5 }]);
    expect(await add(ftmCrowd(2), '--force')).toMatchObject({ code: 0 });
    expect(await listed()).toMatchObject([{ entityCount: 2 }]);
  });

  it('reports an empty file, with or without a format, and counts a single entity in the singular', async () => {
    const { write, limen } = prepare();
    const nothing = write('nothing.csv', '');
    for (const more of [[], ['--format', 'ftm-json']]) {
      expect(await limen('add', 'mine', nothing, ...more)).toMatchObject({
        code: 1,
        stderr: 'The file is empty; there is nothing to load.\n',
      });
    }
    const { stdout } = await limen('add', 'mine', write('one.ftm.json', ftmList(ftmPerson('a', 'Maria Beispiel'))));
    expect(stdout).toMatch(/^ {2}entities {2}1 \(1 person\)$/m);
  });

  const CUT_CSV = ['CSV', 'targets.simple.csv', TABLE, TABLE.length - 8] as const;
  const cutOthers = [
    ['XML', 'list.xml', UN, UN.indexOf('</INDIVIDUAL>') + 20],
    ['JSON lines', 'list.ftm.json', TWO, TWO.length - 20],
  ] as const;

  it.each(onlyWhenLong([CUT_CSV, ...cutOthers], [CUT_CSV]))(
    'refuses %s that is cut off, even the first time, unless forced',
    async (_, name, whole, end) => {
      const { write, limen, listed } = prepare();
      const file = write(name, whole.slice(0, end));
      const { code, stdout, stderr } = await limen('add', 'mine', file);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('The file of mine seems to be cut off: it ends in the middle, after 1 entity.');
      expect(await listed()).toEqual([]);
      expect(await limen('add', 'mine', file, '--force')).toMatchObject({ code: 0 });
      write(name, whole);
      expect(await limen('add', 'mine', file)).toMatchObject({ code: 0 });
      expect(await listed()).toMatchObject([{ entityCount: 2 }]);
    },
  );

  it('leaves nothing when it is interrupted', async () => {
    const { environment, datasets, listed } = prepare();
    const { base, files } = await startPublisher();
    const asked = Promise.withResolvers<void>();
    files.set('/slow', { body: '', answer: (reply) => void reply.write(TWO, () => asked.resolve()) });
    const bin = fileURLToPath(new URL('../../../../bin/limen.js', import.meta.url));
    const child = spawn(process.execPath, [bin, 'datasets', 'add', 'mine', `${base}/slow`], { env: environment });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    await asked.promise;
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'Stopped. The previous version is unchanged.\n' });
    expect(readdirSync(join(datasets, '.incoming'))).toEqual([]);
    expect(await listed()).toEqual([]);
  });
});

it.runIf(IS_LONG)(
  'leaves the old list or the new one if killed at any moment, and the next load cleans up',
  async () => {
    const { environment, write, limen, listed, datasets } = prepare();
    const file = write('list.ftm.json', ftmCrowd(3_000));
    expect(await limen('add', 'mine', file)).toMatchObject({ code: 0 });
    const bin = fileURLToPath(new URL('../../../../bin/limen.js', import.meta.url));
    for (let round = 0; round < 40; round += 1) {
      const child = spawn(process.execPath, [bin, 'datasets', 'add', 'mine', file], { env: environment });
      const killed = setTimeout(() => child.kill('SIGKILL'), 400 + Math.random() * 1_500);
      await once(child, 'close');
      clearTimeout(killed);
      const folder = createDatasetFolder(environment.DATA_DIR);
      expect(await folder.problems()).toEqual([]);
      expect((await folder.openIndex((await folder.find('mine'))!)).entityCount).toBe(3_000);
    }
    expect(await limen('add', 'mine', file)).toMatchObject({ code: 0 });
    expect(readdirSync(join(datasets, '.incoming'))).toEqual([]);
    expect(readdirSync(join(datasets, 'mine'))).toHaveLength(3); // dataset.json, this version and the previous one.
    expect(await listed()).toHaveLength(1);
  },
);

describe('datasets sync', () => {
  it('refreshes lists from an address, fetching only what has changed', async () => {
    const { write, limen, listed } = prepare();
    const { base, files, requests } = await startPublisher();
    files.set('/list', { body: TWO, headers: { etag: '"1"' } });
    expect(await limen('add', 'remote', `${base}/list`)).toMatchObject({ code: 0 });
    await limen('add', 'from_file', write('list.ftm.json', TWO));
    expect(await limen('sync')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^remote is up to date \(version .*, 2 entities\)\.\n$/),
      stderr: '',
    });
    files.set('/list', { body: ftmCrowd(3), headers: { etag: '"2"' } });
    expect((await limen('sync', 'remote')).stdout).toContain('Loaded remote.');
    expect(requests).toEqual(['/list 200', '/list 304', '/list 200']);
    expect(await listed()).toMatchObject([
      { name: 'from_file', entityCount: 2 },
      { name: 'remote', entityCount: 3, checkedAt: expect.any(String) },
    ]);
  });

  it('repairs a list whose index is damaged, which the table of lists shows', async () => {
    const { limen, listed, datasets } = prepare();
    const { base, files } = await startPublisher();
    files.set('/list', { body: ftmList(ftmPerson('a', 'Maria Beispiel')), headers: { etag: '"1"' } });
    await limen('add', 'remote', `${base}/list`);
    const index = readdirSync(join(datasets, 'remote')).find((name) => name.endsWith('.bin'))!;
    writeFileSync(join(datasets, 'remote', index), randomBytes(5_000));
    const { stderr } = await limen('list');
    expect(stderr).toMatch(/^remote: its index file is damaged; load it again \(limen datasets sync remote\)/);
    expect(await listed()).toEqual([]);
    expect((await limen('sync')).stdout).toContain('Loaded remote.');
    expect(await listed()).toMatchObject([{ name: 'remote' }]);
    expect((await limen('sync')).stdout).toMatch(/, 1 entity\)\.\n$/);
  });

  it('continues after a list that fails, and reports it at the end', async () => {
    const { limen } = prepare();
    const { base, files } = await startPublisher();
    for (const name of ['one', 'two']) {
      files.set(`/${name}`, { body: TWO });
      await limen('add', name, `${base}/${name}`);
    }
    files.set('/one', { body: '', status: 503 });
    const { code, stdout, stderr } = await limen('sync');
    expect(code).toBe(1);
    expect(stdout).toContain('two is up to date');
    expect(stderr).toMatch(/^one: http:\S+\/one answered 503; the list was not changed\.\nNot refreshed: 1 of 2\./);
  });

  it('has nothing to do if no list has an address, and refuses a list without one', async () => {
    const { limen, write } = prepare();
    expect(await limen('sync')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('No list came from an address'),
    });
    await limen('add', 'mine', write('list.ftm.json', TWO));
    expect(await limen('sync', 'mine')).toMatchObject({ code: 1, stderr: expect.stringContaining('has no address') });
    expect(await limen('sync', 'unknown')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^unknown: There is no list with this name; see: limen datasets list\n/),
    });
  });
});

describe('datasets diff', () => {
  const [maria, otto] = [ftmPerson('a', 'Maria Beispiel'), ftmPerson('b', 'Otto Muster')];

  it('shows what was added, changed and removed since the previous version', async () => {
    const { limen, write } = prepare();
    await limen('add', 'mine', write('list.ftm.json', ftmList(maria, otto)));
    const later = ftmList(ftmPerson('a', 'Maria Beispiel', '1971-01-01'), ftmPerson('c', 'Eva Vorlage'));
    expect((await limen('add', 'mine', write('list.ftm.json', later))).stdout).toContain('limen datasets diff mine');
    const { code, stdout } = await limen('diff', 'mine');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^mine, from\n {2}version \S+: 2 entities, loaded \S+Z\nto\n {2}version \S+: 2 entities, /);
    expect(stdout).toMatch(/^ {2}added {4}1\n {2}changed {2}1\n {2}removed {2}1$/m);
    expect(stdout.split('\n').filter((line) => /^(?:added|changed|removed)/.test(line))).toEqual([
      expect.stringMatching(/^changed {2}a {3}Maria Beispiel {2}birthDates$/),
      expect.stringMatching(/^added {4}c {3}Eva Vorlage *$/),
      expect.stringMatching(/^removed {2}b {3}Otto Muster *$/),
    ]);
    expect(JSON.parse((await limen('diff', 'mine', '--json')).stdout)).toEqual({
      name: 'mine',
      from: { version: expect.any(String), entityCount: 2, builtAt: expect.any(String) },
      to: { version: expect.any(String), entityCount: 2, builtAt: expect.any(String) },
      changes: [
        {
          ...{ change: 'changed', id: 'a', caption: 'Maria Beispiel', schema: 'Person' },
          fields: { birthDates: { before: ['1970-01-01'], after: ['1971-01-01'] } },
        },
        { change: 'added', id: 'c', caption: 'Eva Vorlage', schema: 'Person' },
        { change: 'removed', id: 'b', caption: 'Otto Muster', schema: 'Person' },
      ],
      counts: { added: 1, changed: 1, removed: 1 },
    });
  });

  it('shows up to the requested number of each kind, and nothing if nothing changed', async () => {
    const { limen, write } = prepare();
    await limen('add', 'mine', write('list.ftm.json', ftmList(maria)));
    await limen('add', 'mine', write('list.ftm.json', ftmCrowd(4)));
    const { stdout } = await limen('diff', 'mine', '--limit', '1');
    expect(stdout).toContain('p-0');
    expect(stdout).not.toContain('p-1');
    expect(stdout).toMatch(/^removed {2}a /m);
    expect(stdout).toMatch(/^and 3 others; see --limit and --json$/m);
    await limen('add', 'mine', write('list.ftm.json', ftmCrowd(4)));
    expect((await limen('diff', 'mine')).stdout).toMatch(/ {2}removed {2}0\n$/);
    expect(JSON.parse((await limen('diff', 'mine', '--json')).stdout)).toMatchObject({ changes: [] });
  });

  it('refuses a list without a previous version, an unknown list, and an invalid limit', async () => {
    const { limen, write } = prepare();
    await limen('add', 'mine', write('list.ftm.json', ftmList(maria)));
    for (const options of [[], ['--json']]) {
      const once = await limen('diff', 'mine', ...options);
      expect(once).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^mine has only one version/) });
    }
    expect(await limen('diff', 'nobody')).toMatchObject({ code: 1, stderr: expect.stringContaining('no list with') });
    expect(await limen('diff', 'mine', '--limit', 'x')).toMatchObject({ code: 2 });
  });
});

describe('datasets known', () => {
  it('names every list with its format, its publisher and its addresses', async () => {
    const { limen } = prepare();
    const { stdout } = await limen('known');
    expect(stdout).toMatch(/^us_ofac_sdn +ofac-csv +publisher +United States: /m);
    expect(stdout).toMatch(/^ch_seco_sanctions +ftm-json +opensanctions +Switzerland: /m);
    expect(stdout).toContain('a business needs their license');
    const known = JSON.parse((await limen('known', '--json')).stdout) as Record<string, unknown>[];
    expect(known).toContainEqual({
      name: 'os_default',
      title: 'OpenSanctions: everything',
      format: 'ftm-json',
      from: 'opensanctions',
      addresses: ['https://data.opensanctions.org/datasets/latest/default/index.json'],
    });
  });
});

describe('datasets list and remove', () => {
  it('show a table, and a damaged list on standard error', async () => {
    const { limen, write, datasets } = prepare();
    await limen('add', 'one', write('one.ftm.json', TWO));
    await limen('add', 'two', write('two.ftm.json', TWO));
    writeFileSync(join(datasets, 'two', 'dataset.json'), '{');
    const { code, stdout, stderr } = await limen('list');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^NAME {2}VERSION +ENTITIES {2}PEOPLE {2}BUILT +MEMORY {2}PROBLEMS {2}SOURCE$/),
      expect.stringMatching(/^one {3}\S+ +2 +2 {2}\S+Z +\S+ \w*B +0 {2}one\.ftm\.json$/),
      '',
    ]);
    expect(stderr).toMatch(/^two: its dataset\.json is damaged; /);
    expect(await limen('remove', 'two')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Removed two; /) });
    expect(await limen('list')).toMatchObject({ stderr: '' });
  });

  it('report that there is only the demo, and create nothing', async () => {
    const { limen, environment } = prepare();
    expect(await limen('list')).toMatchObject({ code: 0, stdout: expect.stringContaining('only the fictional demo') });
    expect((await limen('list', '--json')).stdout).toBe('[]\n');
    expect(existsSync(environment.DATA_DIR)).toBe(false);
  });

  it('refuse an unknown list', async () => {
    const { limen, environment } = prepare();
    expect(await limen('remove', 'nobody')).toMatchObject({
      code: 1,
      stderr: 'There is no list with this name; see: limen datasets list\n',
    });
    expect(existsSync(environment.DATA_DIR)).toBe(false);
  });
});
