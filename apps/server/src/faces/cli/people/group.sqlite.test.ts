// `limen people` alone on a database, and next to a running server.

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PATIENCE } from '@limen/testing/patience.ts';
import { IS_LONG } from '@limen/testing/rounds.ts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { prepareDatabase, runLimen, runLimenHere } from '#testing/run-limen.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';
import { openDatabase } from '../../../platform/database/database.ts';

const LIMEN = fileURLToPath(new URL('../../../../bin/limen.js', import.meta.url));
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const SECRET = 'Elsa Lund';

/** Vectors of different people: uncorrelated for different seeds. */
const faceOf = (seed: number, length = 128) =>
  Array.from({ length }, (_, i) => Math.sin((i + 1) * (i + 1) * (seed + 0.37)));
const lineOf = (row: object) => JSON.stringify(row);
const personOf = (seed: number, more: object = {}) => lineOf({ embedding_vector: faceOf(seed), ...more });

async function prepare(people?: string[]) {
  const database = await prepareDatabase();
  const run = (args: string[], more: Record<string, string> = {}) =>
    runLimenHere(['people', ...args], { environment: { ...database.environment, ...more } });
  const runJson = async (args: string[]) => JSON.parse((await run([...args, '--json'])).stdout);
  let files = 0;
  const save = (...lines: string[]) => {
    files += 1;
    const file = join(database.dataDir, `${files}.jsonl`);
    writeFileSync(file, lines.join('\n'));
    return file;
  };
  if (people) await run(['import', save(...people), '--customer', 'acme']);
  return { database, run, runJson, save };
}

async function predict(app: TestApp, apiKey: string, vector: number[], version = 'FACE3_1') {
  const payload = { version, features: { embedding_vector: vector } };
  const headers = { 'x-api-key': apiKey };
  return (await app.http.inject({ method: 'POST', url: '/node/plainPredict', headers, payload })).json();
}

describe('people import', () => {
  it('enrolls each face once, reports unusable lines and adds nothing the second time', async () => {
    const { run, runJson, save } = await prepare();
    const lines = [
      personOf(1, { metadata: { id: SECRET } }),
      '',
      lineOf({ features: [1, 1].map((seed) => ({ embedding_vector: faceOf(seed) })) }), // duplicate of the first
      lineOf({ features: [2, 2].map((seed) => ({ embedding_vector: faceOf(seed) })) }),
      `{"metadata":{"id":"${SECRET}"`,
      lineOf({ embedding_vector: Array(128).fill(0) }),
      `"${'x'.repeat(2 ** 20)}"`,
      personOf(3, { version: 'FACE4' }),
    ];
    const file = save(lines.join('\r\n')); // the last line has no line break
    const first = await run(['import', file, '--customer', 'acme']);
    expect(first.code).toBe(4);
    expect(first.stdout).toMatch(/^Enrolled for acme \(live\), out of 7 rows \(.+\):$/m);
    expect(first.stdout).toMatch(/^ {2}new +3\n {2}already enrolled +1\n {2}unusable +1\n {2}broken lines +2$/m);
    expect(first.stderr.match(/^Line \d+: /gm)).toEqual(['Line 5: ', 'Line 6: ', 'Line 7: ']);
    expect(first.stderr).toContain('This customer has no active live API key');
    expect(first.stdout + first.stderr).not.toContain('Elsa');

    const second = await runJson(['import', file, '--customer', 'acme']);
    expect(second).toMatchObject({ customer: 'acme', new: 0, alreadyEnrolled: 4, unusable: 1, broken: 2 });
    expect(second.problems.map(({ line }: { line: number }) => line)).toEqual([5, 6, 7]);
    const { people } = await runJson(['list']);
    const shown = people.map(
      ({ modelVersion, enrollLevel }: Record<string, unknown>) => `${modelVersion} ${enrollLevel}`,
    );
    // The first two have the same face and arrive together, so either may win.
    expect(shown.toSorted()).toEqual([expect.stringMatching(/^FACE3_1 [12]$/), 'FACE3_1 2', 'FACE4 1']);
  });

  it('writes nothing in a dry run, and refuses a call that names no gallery or two', async () => {
    const { run, runJson, save, database } = await prepare();
    const sound = save(personOf(1), 'nonsense');
    expect(await runJson(['import', sound, '--dry-run'])).toMatchObject({ usable: 1, unusable: 0, broken: 1 });
    expect(await runJson(['list'])).toEqual({ people: [] });
    const file = join(database.dataDir, 'absent.jsonl');
    const calls = [
      [['import', sound], 2, 'Name the customer: '],
      [['import', sound, '--customer', 'a', '--key-id', 'b'], 2, 'either --key-id or --customer'],
      [['import', sound, '--customer', 'a', '--model-version', 'face'], 2, 'capital letters'],
      [['import', file, '--customer', 'a'], 1, `There is no file ${file}.`],
      [['import', database.dataDir, '--customer', 'a'], 1, 'is a folder'],
      [['import', sound, '--key-id', UNKNOWN], 1, 'No API key has this id'],
    ] as const;
    for (const [args, code, sentence] of calls) {
      expect(await run([...args])).toEqual({ code, stdout: '', stderr: expect.stringContaining(sentence) });
    }
  });

  it('stops when the gallery is full, keeps what is imported and says so', async () => {
    const { run, save } = await prepare();
    const file = save(...Array.from({ length: 80 }, (_, i) => personOf(i)));
    const room = { NODE_MAX_EMBEDDINGS: '5' };
    const { code, stdout, stderr } = await run(['import', file, '--customer', 'acme', '--json'], room);
    expect(code).toBe(1);
    expect(stderr).toContain('Stopped: All 5 places for embeddings in the live world are taken');
    const { new: added } = JSON.parse(stdout);
    expect(added).toBeGreaterThanOrEqual(5);
    expect(added).toBeLessThan(80);
  });
});

describe('beside a running server', () => {
  it.runIf(IS_LONG)('an import is found by the next predict, and a deleted person is not', async () => {
    const { database, run, runJson, save } = await prepare();
    const app = await startTestApp({ database });
    const { record, apiKey } = await app.apiKeys.create({ kind: 'live', clientCredentials: false });
    expect(await predict(app, apiKey, faceOf(2))).toMatchObject({ status: -1, puid: '-1' });

    const imported = await runLimen(['people', 'import', '-', '--key-id', record.id], {
      environment: database.environment,
      input: [1, 2, 3].map((seed) => personOf(seed)).join('\n'),
    });
    expect(imported).toMatchObject({ code: 0, stderr: '' });
    const found = await predict(app, apiKey, faceOf(2));
    expect(found).toMatchObject({ status: 0, enroll_level: 1 });
    expect((await predict(app, apiKey, faceOf(2), 'FACE3_3')).puid).toBe('-1');

    const { environment } = database;
    const deleted = await runLimen(['people', 'delete', found.puid, UNKNOWN, found.puid, SECRET], { environment });
    expect(deleted.code).toBe(1);
    expect(deleted.stdout).toBe(`Deleted ${found.puid} of ${record.id} (live).\n`);
    expect(deleted.stderr).toContain(`There is no person ${UNKNOWN}; see: limen people list`);
    expect(deleted.stderr).toContain('Deleted 1 person; 2 not found.');
    expect(await predict(app, apiKey, faceOf(2))).toMatchObject({ status: -1, puid: '-1' });
    const { puid } = await predict(app, apiKey, faceOf(1));
    expect(await runJson(['delete', puid, '--yes'])).toEqual({ deleted: [puid], notFound: [] });
    expect((await runJson(['list'])).people).toHaveLength(1);

    await app.apiKeys.revoke(record.id);
    const refused = await run(['import', save(personOf(4)), '--key-id', record.id]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('This API key is revoked') });
    await app.close(); // before the database is disposed
  });

  it('keeps imported people and exits cleanly when an import is interrupted', async () => {
    const { database, runJson } = await prepare();
    const child = spawn(process.execPath, [LIMEN, 'people', 'import', '-', '--customer', 'acme', '--json'], {
      env: database.environment,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdin.on('error', () => {}); // it stops reading
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    const ended = new Promise((resolve) => child.on('close', resolve));
    child.stdin.write([1, 2, 3].map((seed) => `${personOf(seed)}\n`).join('')); // stdin stays open
    await vi.waitFor(async () => expect((await runJson(['list'])).people).toHaveLength(3), PATIENCE);
    child.kill('SIGINT');
    expect(await ended).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ new: 3, broken: 0 });
    expect(stderr).toContain('Stopped. Run it again to continue; no one is added twice.');
  });
});

describe('people list', () => {
  it('lists pages, newest first, without faces and names', async () => {
    const people = [1, 2, 3, 4, 5].map((seed) => personOf(seed, { metadata: { id: SECRET } }));
    const { run, runJson, save } = await prepare(people);
    await run(['import', save(personOf(6)), '--customer', "o'neil & sons", '--model-version', 'FACE4']);
    const puids: string[] = [];
    const made: string[] = [];
    let next: string | undefined;
    do {
      const page = await runJson(['list', '--limit', '4', ...(next === undefined ? [] : ['--after', next])]);
      for (const person of page.people) {
        puids.push(person.puid);
        made.push(person.createdAt);
        expect(Object.keys(person).sort()).toEqual(
          [
            ...['createdAt', 'customer', 'devices', 'dimensions', 'enrollLevel'],
            ...['modelVersion', 'passkeys', 'puid', 'tokens', 'world'],
          ].sort(),
        );
      }
      next = page.next;
    } while (next !== undefined);
    expect(new Set(puids).size).toBe(6);
    expect(made).toEqual(made.toSorted().reverse());

    const table = await run(['list', '--customer', 'acme', '--model-version', 'FACE3_1', '--limit', '2']);
    expect(table.stdout.split('\n')[0]).toMatch(
      /^PUID +CUSTOMER +WORLD +VERSION +LENGTH +EMBEDDINGS +TOKENS +PASSKEYS +DEVICES +CREATED$/,
    );
    expect(table.stdout).toMatch(new RegExp(`^${puids[1]}  acme +live +FACE3_1 +128 +1 +0 +0 +0 +\\S+Z$`, 'm'));
    const more = /^There are more: limen people (list --customer acme --model-version FACE3_1 --limit 2 --after \S+)$/m;
    const call = more.exec(table.stderr)?.[1];
    expect((await runJson(call!.split(' '))).people.map(({ puid }: { puid: string }) => puid)).toEqual(
      puids.slice(3, 5),
    );
    expect((await runJson(['list', '--customer', "o'neil & sons"])).people).toMatchObject([{ modelVersion: 'FACE4' }]);
    expect((await runJson(['list', '--customer', 'acme', '--world', 'test'])).people).toEqual([]);
    expect((await run(['list', '--customer', 'nobody'])).stdout).toMatch(/^No enrolled person matches/);
    expect(await run(['list', '--limit', '1001'])).toMatchObject({ code: 2, stdout: '' });
    expect(await run(['list', '--after', SECRET])).toMatchObject({ code: 2, stdout: '' });
    expect(table.stdout + table.stderr).not.toContain('Elsa');
  });
});

describe('people export-stats', () => {
  it('counts every gallery as table, JSON and CSV', async () => {
    const several = (seed: number) => lineOf({ features: [seed, seed].map((n) => ({ embedding_vector: faceOf(n) })) });
    const { database, run, runJson, save } = await prepare([personOf(1), personOf(2), several(3)]);
    await run(['import', save(lineOf({ embedding_vector: faceOf(4, 512) })), '--customer', '=1+1']);
    const stats = await runJson(['export-stats']);
    expect(stats).toMatchObject([
      { customer: 'acme', dimensions: 128, people: 3, embeddings: 4, modelVersion: 'FACE3_1' },
      { customer: '=1+1', dimensions: 512, people: 1, embeddings: 1 },
    ]);
    expect(stats[0].levels).toEqual([
      { embeddings: 1, people: 2 },
      { embeddings: 2, people: 1 },
    ]);
    expect(stats[0].firstEnrolledAt <= stats[0].lastEnrolledAt).toBe(true);
    const opened = openDatabase(database);
    const rows = await opened.queries.selectFrom('embeddings').select('sealed').execute();
    await opened.close();
    const total = rows.reduce((sum, { sealed }) => sum + sealed.length, 0);
    expect(stats[0].sealedBytes + stats[1].sealedBytes).toBe(total);

    const table = await run(['export-stats']);
    expect(table.stdout).toMatch(/^acme +live +FACE3_1 +128 +\S{36} +3 +4 +1:2 2:1 +0 +\S+Z +\S+Z +\d\.\d KiB +0 B$/m);
    const file = join(database.dataDir, 'stats.csv');
    expect(await run(['export-stats', '--csv', '--out', file])).toEqual({ code: 0, stdout: '', stderr: '' });
    const [, first, second] = readFileSync(file, 'utf8').split('\n');
    expect(first).toMatch(/^"acme","FACE3_1",128,"\S{36}",3,4,"1:2 2:1","\S+Z","\S+Z",\d+,0,0,"live"$/);
    expect(second).toMatch(/^"'=1\+1","FACE3_1",512,/);
    expect(await run(['export-stats', '--csv', '--json'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('prints nothing and creates nothing if no one was ever enrolled', async () => {
    const { run, runJson } = await prepare();
    const empty = { code: 0, stdout: 'No one is enrolled yet.\n', stderr: '' };
    expect([await run(['export-stats']), await run(['list'])]).toEqual([empty, empty]);
    expect([await runJson(['export-stats']), await runJson(['list'])]).toEqual([[], { people: [] }]);
  });
});
