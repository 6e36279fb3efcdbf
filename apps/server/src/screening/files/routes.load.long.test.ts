// File screening under load, and with misbehaving clients, workers and lists.

import { type AddressInfo, connect } from 'node:net';
import { SCREENING_FILE_MAX_BYTES } from '@limen/contract';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createListedEntity, inventName, storeList } from '#testing/screening/listed-people.ts';
import { CRASH, HOLD, STALL, startOddWorker } from '#testing/screening/odd-worker.ts';
import { csvForm, fetchScreened, HEADER, screen, screenSuccessfully } from '#testing/screening/upload.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

function rowsUpTo(bytes: number, row: (index: number) => string): string {
  const rows: string[] = [HEADER.trim()];
  let left = bytes - HEADER.length;
  for (let index = 0; ; index += 1) {
    const text = row(index);
    left -= Buffer.byteLength(text) + 1;
    if (left < 0) return rows.join('\n');
    rows.push(text);
  }
}

async function startWithList(tuning = {}, options = {}) {
  const database = await createTestDatabase();
  onTestFinished(() => database.dispose());
  await storeList(database.dataDir, 'list', manyListed(3000));
  const app = await startTestApp({ database, sanctionsTuning: tuning, ...options });
  return { app, database };
}

function* manyListed(count: number) {
  for (let index = 0; index < count; index += 1) {
    const { first, last } = inventName(index);
    yield createListedEntity(`m-${index}`, `${first} ${last}`, `19${10 + (index % 90)}-01-01`);
  }
}

async function filesIn(app: TestApp, state: 'under_way' | 'waiting'): Promise<number> {
  const { body } = await app.http.inject('/metrics');
  return Number(new RegExp(`limen_screening_files\\{state="${state}"\\} (\\d+)`).exec(body)?.[1]);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('many files', () => {
  it('are all answered, with hundreds of small files at once', async () => {
    const count = 250; // An address may have 256 connections.
    const { app } = await startWithList();
    const origin = await app.http.listen({ port: 0, host: '127.0.0.1' });
    const { first, last } = inventName(7);
    const replies = await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const reply = await fetchScreened(origin, 'list', `${HEADER}r${index},${first},${last},1917-01-01\n`);
        return [reply.status, ((await reply.json()) as { results: { id: string; match: string }[] }).results[0]];
      }),
    );
    expect(replies).toEqual(
      Array.from({ length: count }, (_, index) => [200, expect.objectContaining({ id: `r${index}`, match: 'true' })]),
    );
  });

  it('let a small file be answered during a large one', async () => {
    const { app } = await startWithList({ workers: 1, startWorker: startOddWorker });
    const order: string[] = [];
    const large = screenSuccessfully(
      app,
      'list',
      rowsUpTo(64 * 1024, (index) => `${index},${HOLD},x,`),
    ).then((reply) => {
      order.push('large');
      return reply;
    });
    await until(async () => (await filesIn(app, 'under_way')) === 1);
    for (const name of ['first', 'second']) {
      await screenSuccessfully(app, 'list', `${HEADER}1,a,b,\n`);
      order.push(name);
    }
    expect((await large).summary.total).toBeGreaterThan(128 * 10);
    expect(order).toEqual(['first', 'second', 'large']);
  });

  it('wait in line if they do not fit into memory together, and none is refused', async () => {
    const { app } = await startWithList({ maxFileBytes: 1, startWorker: startOddWorker });
    const replies = Array.from({ length: 8 }, (_, index) =>
      screenSuccessfully(app, 'list', `${HEADER}${index},${HOLD},x,\n`),
    );
    await until(async () => (await filesIn(app, 'waiting')) === 7);
    expect((await Promise.all(replies)).map(({ results }) => results[0]?.id)).toEqual([...'01234567']);
    expect(await filesIn(app, 'under_way')).toBe(0);
  });
});

describe('a full file', () => {
  it('with candidates in every row at threshold 0 is answered completely, in parts', async () => {
    const { app } = await startWithList();
    const origin = await app.http.listen({ port: 0, host: '127.0.0.1' });
    const csv = rowsUpTo(SCREENING_FILE_MAX_BYTES / onlyWhenLong(4, 16), (index) => {
      const { first, last } = inventName(index % 3000);
      return `${index},${first},${last},`;
    });
    const rows = csv.split('\n').length - 1;
    const reply = await fetchScreened(origin, 'list', csv, '?scoreThreshold=0');
    expect(reply.headers.get('content-length')).toBeNull();
    const { summary, results } = (await reply.json()) as Awaited<ReturnType<typeof screenSuccessfully>>;
    expect(summary).toMatchObject({ total: rows, matched: { count: rows } });
    expect(summary.matched.records.map(({ id }) => Number(id))).toEqual(
      Array.from({ length: rows }, (_, index) => index),
    );
    expect(results.map(({ id }) => Number(id))).toEqual(Array.from({ length: rows }, (_, index) => index));
    expect(Math.max(...summary.matched.records.map(({ matches }) => matches.length))).toBeLessThanOrEqual(5);
  });

  it.each([
    [
      'one name without end',
      () => `1,${'ab'.repeat(SCREENING_FILE_MAX_BYTES)},x,`.slice(0, SCREENING_FILE_MAX_BYTES - 100),
    ],
    [
      'one token repeated',
      () => `1,${'varomi '.repeat(SCREENING_FILE_MAX_BYTES)}`.slice(0, SCREENING_FILE_MAX_BYTES - 100),
    ],
    ['many long names', (index: number) => `${index},${'varomi kentul dor '.repeat(50)},${'shibel '.repeat(50)},1950`],
    ['one letter per part', (index: number) => `${index},${'a b c d e f g h '.repeat(8)},x y z,`],
    ['only short rows', () => 'x'],
  ])('with the worst rows is answered: %s', async (_name, row) => {
    const { app } = await startWithList();
    const size =
      row(0) === 'x'
        ? SCREENING_FILE_MAX_BYTES / 8
        : row(0).length > 100_000
          ? SCREENING_FILE_MAX_BYTES
          : SCREENING_FILE_MAX_BYTES / 4;
    const csv = rowsUpTo(size, row);
    const { summary, results } = await screenSuccessfully(app, 'list', csv, '?scoreThreshold=0');
    expect(summary.total).toBe(results.length);
    expect(summary.total).toBeGreaterThan(0);
  });
});

describe('a list that changes', () => {
  it('is switched without a pause: running searches keep its version', async () => {
    const { app, database } = await startWithList({ workers: 1, startWorker: startOddWorker, lookEveryMs: 20 });
    const csv = `${HEADER}1,Newly,Listedperson,\n`;
    expect((await screenSuccessfully(app, 'list', csv)).summary).toMatchObject({
      datasetVersion: '1',
      matched: { count: 0 },
    });
    const held = screenSuccessfully(
      app,
      'list',
      rowsUpTo(64 * 1024, (index) => `${index},${HOLD},Listedperson,`),
    );
    await until(async () => (await filesIn(app, 'under_way')) === 1);
    await storeList(
      database.dataDir,
      'list',
      [createListedEntity('n-1', 'Newly Listedperson'), createListedEntity('n-2', `${HOLD} Listedperson`)],
      '2',
    );
    await until(async () => (await screenSuccessfully(app, 'list', csv)).summary.datasetVersion === '2');
    expect((await screenSuccessfully(app, 'list', csv, '?scoreThreshold=0.8')).summary.matched.count).toBe(1);
    expect((await held).summary).toMatchObject({ datasetVersion: '1', matched: { count: 0 } });
  });

  it('is available once added, and gone after removal', async () => {
    const { app, database } = await startWithList({ lookEveryMs: 20 });
    expect((await screen(app, 'fresh', HEADER)).statusCode).toBe(404);
    await storeList(database.dataDir, 'fresh', [createListedEntity('f-1', 'Newly Listedperson')]);
    expect((await screen(app, 'fresh', HEADER)).statusCode).toBe(200);
    const { createDatasetFolder } = await import('../lists/folder/folder.ts');
    await createDatasetFolder(database.dataDir).remove('fresh');
    await until(async () => (await screen(app, 'fresh', HEADER)).statusCode === 404);
    expect((await screen(app, 'list', HEADER)).statusCode).toBe(200);
  });
});

describe('a worker that crashes', () => {
  it('fails only its own file with 500, and is replaced', async () => {
    const { app } = await startWithList({ workers: 1, startWorker: startOddWorker });
    const rows = rowsUpTo(64 * 1024, (index) => `${index},${HOLD},x,`);
    const bystander = screenSuccessfully(app, 'list', rows);
    const victim = await screen(app, 'list', `${HEADER}1,${CRASH},secretname,\n`);
    expect(victim.statusCode).toBe(500);
    expect(victim.json().message).toBe('Internal Server Error');
    expect((await bystander).summary.total).toBe(rows.split('\n').length - 1);
    expect((await screen(app, 'list', `${HEADER}1,a,b,\n`)).statusCode).toBe(200);
    expect(app.logged()).toContain('a worker failed');
    expect(app.logged()).not.toContain('secretname');
    expect(await filesIn(app, 'under_way')).toBe(0);
  });
});

describe('a worker that hangs', () => {
  it('fails its own file with 500 and a log line, and is replaced', async () => {
    const { app } = await startWithList({ workers: 1, startWorker: startOddWorker, taskMs: 5_000 });
    const [victim, bystander] = await Promise.all([
      screen(app, 'list', `${HEADER}1,${STALL},secretname,\n`),
      screen(app, 'list', `${HEADER}1,a,b,\n`),
    ]);
    expect([victim.statusCode, bystander.statusCode]).toEqual([500, 200]);
    expect(app.logged()).toMatch(/"error":"timeout","errorCode":5000,"msg":"a worker failed"/);
    expect(app.logged()).not.toContain('secretname');
  });
});

describe('a service that stops', () => {
  it('answers files in progress with 503, and logs none as a failure', async () => {
    const { app } = await startWithList({ workers: 1, startWorker: startOddWorker });
    const replies = Array.from({ length: 3 }, () =>
      screen(
        app,
        'list',
        rowsUpTo(256 * 1024, (index) => `${index},${HOLD},x,`),
      ),
    );
    await until(async () => (await filesIn(app, 'under_way')) === 3);
    await app.close();
    for (const reply of await Promise.all(replies)) {
      expect(reply.statusCode).toBe(503);
      expect(reply.json().message).toBe('The service is stopping; try again in a moment.');
    }
    expect(app.logged()).not.toContain('"level":50');
  });
});

describe('a client', () => {
  const request = (csv: string, query = '') => {
    const { payload, headers } = csvForm(csv);
    const head = `POST /v2/open-sanctions/file/list${query} HTTP/1.1\r\nhost: x\r\ncontent-type: ${headers['content-type']}\r\ncontent-length: ${payload.length}\r\n\r\n`;
    return Buffer.concat([Buffer.from(head), payload]);
  };

  async function send(app: TestApp, bytes: Buffer) {
    if (!app.http.server.listening) await app.http.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.http.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    socket.write(bytes);
    return socket;
  }

  it('that disconnects stops the work on its file', async () => {
    const { app } = await startWithList({ workers: 1, startWorker: startOddWorker });
    const rows = rowsUpTo(SCREENING_FILE_MAX_BYTES, (index) => `${index},${HOLD},x,`); // A minute's work.
    const socket = await send(app, request(rows));
    await until(async () => (await filesIn(app, 'under_way')) === 1);
    socket.destroy();
    await until(async () => (await filesIn(app, 'under_way')) === 0);
    const { body } = await app.http.inject('/metrics');
    expect(body).toContain('# TYPE limen_screening_files_total counter\nlimen_screening_files_total 0');
    expect(body).toContain('# TYPE limen_screening_rows_total counter\nlimen_screening_rows_total 0');
    expect((await screen(app, 'list', `${HEADER}1,a,b,\n`)).statusCode).toBe(200);
  });

  it('that waits for a long check is not cut off for its silence', async () => {
    const timeouts = { headersMs: 10_000, bodyGraceMs: 30_000, idleMs: 50 };
    const { app } = await startWithList({ workers: 1, startWorker: startOddWorker }, { timeouts });
    const socket = await send(app, request(rowsUpTo(32 * 1024, (index) => `${index},${HOLD},x,`)));
    const reply = await new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
        if (text.endsWith('0\r\n\r\n')) resolve(text);
      });
      socket.on('close', () => resolve(text));
    });
    expect(reply).toMatch(/^HTTP\/1\.1 200/);
    expect(reply).toContain(']}');
  });

  it('that does not read its reply is disconnected, and its memory released', async () => {
    const { app } = await startWithList({ takeMs: 200 });
    const { first, last } = inventName(1);
    const socket = await send(
      app,
      request(
        rowsUpTo(SCREENING_FILE_MAX_BYTES / 2, (index) => `${index},${first},${last},`),
        '?scoreThreshold=0',
      ),
    );
    socket.pause();
    await until(async () => (await app.http.inject('/metrics')).body.includes('limen_screening_files_total 1'));
    await until(async () => (await filesIn(app, 'under_way')) === 0);
    // Not confused with an answered file.
    expect(app.logged()).toMatch(/"complete":false,[^\n]*"file screened"/);
    expect(app.logged()).toMatch(/"route":"\/v2\/open-sanctions\/file\/:dataset","status":499,/);
    expect((await app.http.inject('/metrics')).body).toMatch(/file\/:dataset",status="499"\} 1\n/);
    expect((await screen(app, 'list', `${HEADER}1,a,b,\n`)).statusCode).toBe(200);
    expect(app.logged()).toMatch(/"complete":true,[^\n]*"file screened"/);
  });

  it('with a small file is answered although unread replies to large files fill the room', async () => {
    const { app } = await startWithList({ maxFileBytes: 4 * 1024 * 1024 });
    const { first, last } = inventName(1);
    const rows = rowsUpTo(SCREENING_FILE_MAX_BYTES / 2, (index) => `${index},${first},${last},`);
    for (let reader = 0; reader < 3; reader += 1) (await send(app, request(rows, '?scoreThreshold=0'))).pause();
    await until(async () => (await filesIn(app, 'waiting')) > 0);
    expect((await screen(app, 'list', `${HEADER}1,a,b,\n`)).statusCode).toBe(200);
    expect(await filesIn(app, 'waiting')).toBeGreaterThan(0);
  });
});
