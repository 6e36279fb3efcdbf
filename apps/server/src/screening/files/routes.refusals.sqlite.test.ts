// File screening over HTTP: which requests are refused, in which order, with which messages.

import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { SCREENING_FILE_MAX_BYTES } from '@limen/contract';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createListedEntity, storeList } from '#testing/screening/listed-people.ts';
import {
  createForm,
  createPart,
  csvForm,
  HEADER,
  post,
  screen,
  screenSuccessfully,
} from '#testing/screening/upload.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

const csvPart = (csv: string | Uint8Array) => createPart(csv, { fileName: 'people.csv' });

let app: TestApp;
let dispose: () => Promise<void>;

beforeAll(async () => {
  app = await startTestApp({ atEnd: (end) => (dispose = end) });
});
afterAll(() => dispose());

/** Builds a header row and rows of exactly this size. */
function fileOf(bytes: number): string {
  return HEADER + `1,a,b,${'x'.repeat(120)}\n`.repeat(bytes / 120).slice(0, bytes - HEADER.length);
}

async function connectTo({ http }: TestApp) {
  if (!http.server.listening) await http.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((http.server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  return socket;
}

describe('400', () => {
  it.each([
    ['a text file', createPart('id', { fileName: 'people.txt' }), 'Only CSV files are allowed!'],
    ['a workbook', createPart('id', { fileName: 'people.csv.xlsx' }), 'Only CSV files are allowed!'],
    ['a file without a name', createPart(HEADER, { fileName: '' }), 'Only CSV files are allowed!'],
  ])('rejects %s', async (_name, part, message) => {
    const reply = await post(app, 'demo', createForm(part));
    expect(reply.statusCode).toBe(400);
    expect(reply.json()).toEqual({ statusCode: 400, error: 'Bad Request', message, requestId: expect.any(String) });
  });

  it.each([
    ['an empty file', '', /^The header row lacks id, firstname, lastname, dob; it needs/],
    ['a file of blank lines', '\ufeff\r\n \r\n', /lacks id, firstname, lastname, dob;/],
    ['no header row', '1,Ada,Lovelace,1815-12-10\n', /lacks id, firstname, lastname, dob;/],
    ['a missing column', 'id;firstname;lastname\n1;a;b\n', /lacks dob;/],
  ])('rejects %s: names the missing columns', async (_name, csv, says) => {
    const reply = await post(app, 'demo', csvForm(csv));
    expect(reply.statusCode).toBe(400);
    expect(reply.json()).toEqual({
      ...{ statusCode: 400, error: 'Bad Request', message: 'Missing required CSV headers' },
      requestId: expect.any(String),
      details: [{ path: 'file', message: expect.stringMatching(says) }],
    });
  });

  it.each([
    ['no part', createForm(), /one part named file/],
    ['only fields', createForm(createPart('x', { field: 'note' })), /one part named file/],
    ['the file as a field', createForm(createPart(HEADER)), /one part named file/],
    [
      'a file under another field name',
      createForm(createPart(HEADER, { field: 'upload', fileName: 'a.csv' })),
      /one part named file/,
    ],
    ['two files', createForm(csvPart(HEADER), csvPart(HEADER)), /second file/],
    ['invalid UTF-8', csvForm(Buffer.from(`${HEADER}1,Zo\u00eb,b,c\n`, 'latin1')), /UTF-8/],
    ['UTF-16', csvForm(Buffer.from(`\ufeff${HEADER}`, 'utf16le')), /UTF-8/],
    ['an unclosed quote', csvForm(`${HEADER}1,a,b,c\n2,"a,b,c\n3,a,b,c\n`), /line 3.*never closed/],
    ['text after a closing quote', csvForm(`${HEADER}1,"a"x,b,c\n`), /line 2.*closing quote/],
    [
      'far too many fields',
      createForm(...Array<Buffer>(30).fill(createPart('x', { field: 'f' })), csvPart(HEADER)),
      /at most 20 fields/,
    ],
    ['more than two files', createForm(...Array<Buffer>(9).fill(csvPart(HEADER))), /second file/],
    [
      'a field with a reserved name',
      createForm(createPart('x', { field: 'toString' }), csvPart(HEADER)),
      /name that is not allowed/,
    ],
    [
      'a file with one',
      createForm(createPart(HEADER, { field: 'constructor', fileName: 'a.csv' })),
      /name that is not allowed/,
    ],
  ])('rejects %s', async (_name, form, message) => {
    const reply = await post(app, 'demo', form);
    expect(reply.statusCode).toBe(400);
    expect(reply.json().message).toMatch(message);
    expect(reply.headers['x-error-code']).toBe('malformed_request');
  });

  it.each(['-0.1', '1.1', 'high', '', 'NaN', '0.9&scoreThreshold=0.8'])(
    'rejects the threshold %j',
    async (threshold) => {
      const reply = await screen(app, 'demo', HEADER, `?scoreThreshold=${threshold}`);
      expect(reply.statusCode).toBe(400);
      expect(reply.headers['x-error-code']).toBe('validation_failed');
      expect(reply.json()).toMatchObject({
        message: 'query.scoreThreshold must be one number from 0 to 1, such as 0.95',
        details: [{ path: 'query.scoreThreshold' }],
      });
    },
  );

  it.each(['ScoreThreshold=0.5', 'scoreThreshold[]=0.5', 'threshold=0.5', 'scoreThreshold=0.5&min_score=1'])(
    'rejects the query %s, which would otherwise change the threshold',
    async (query) => {
      const reply = await screen(app, 'nowhere', HEADER, `?${query}`);
      expect(reply.statusCode).toBe(400);
      expect(reply.headers['x-error-code']).toBe('validation_failed');
      expect(reply.json().message).toBe(
        'query has a threshold under another name; send scoreThreshold once, spelt exactly like that',
      );
    },
  );

  it.each([
    ['without a boundary', 'multipart/form-data', csvForm(HEADER).payload],
    ['with a boundary other than announced', 'multipart/form-data; boundary=other', csvForm(HEADER).payload],
    ['that breaks off', csvForm(HEADER).headers['content-type'] ?? '', csvForm(HEADER).payload.subarray(0, -30)],
    [
      'of random bytes',
      csvForm('').headers['content-type'] ?? '',
      Buffer.from(Array.from({ length: 999 }, (_, i) => (i * 73) % 251)),
    ],
  ])('rejects a form %s', async (_name, type, payload) => {
    const reply = await post(app, 'demo', { payload, headers: { 'content-type': type } });
    expect(reply.statusCode).toBe(400);
    expect(reply.json().message).toMatch(/multipart/);
  });

  it('rejects a missing body', async () => {
    for (const headers of [{}, { 'content-type': 'multipart/form-data; boundary=x' }]) {
      const reply = await app.http.inject({ method: 'POST', url: '/v2/open-sanctions/file/demo', headers });
      expect(reply.statusCode).toBe(400);
      expect(reply.json().message).toMatch(/one part named file/);
    }
  });

  it('never quotes the file or its name', async () => {
    const forms = [
      csvForm(`${HEADER}hunter2,"a"hunter2,b,c\n`),
      createForm(createPart('hunter2', { fileName: 'hunter2.txt' })),
      csvForm('hunter2,b\n'),
    ];
    for (const form of forms) expect((await post(app, 'demo', form)).body).not.toContain('hunter2');
    expect(app.logged()).not.toContain('hunter2');
  });
});

describe('the order of the checks', () => {
  const large = 'x'.repeat(SCREENING_FILE_MAX_BYTES + 1);
  const bad = '?scoreThreshold=9';

  it.each([
    ['the form first', createForm(createPart('x', { field: 'other' })), 400, /one part named file/],
    ['then the file’s name', createForm(createPart(large, { fileName: 'people.pdf' })), 400, /Only CSV/],
    ['then its size', csvForm(large), 413, /2097152/],
    ['then the header row', csvForm('a,b\n'), 400, /Missing required CSV headers/],
    ['then the quoting', csvForm(`${HEADER}"\n`), 400, /quoting/],
    ['then the threshold', csvForm(HEADER), 400, /scoreThreshold/],
  ])('is: %s', async (_name, form, status, message) => {
    const reply = await post(app, 'nowhere', form, bad);
    expect(reply.statusCode).toBe(status);
    expect(reply.json().message).toMatch(message);
  });

  it('puts the dataset last', async () => {
    expect((await screen(app, 'nowhere', HEADER)).statusCode).toBe(404);
  });
});

describe('401', () => {
  it('requires a key on both routes when the area is closed, before reading a body', async () => {
    const closed = await startTestApp({ environment: { REQUIRE_API_KEY: 'sanctions' } });
    const form = csvForm(HEADER);
    expect((await post(closed, 'demo', form)).statusCode).toBe(401);
    expect((await closed.http.inject('/v2/open-sanctions/datasets')).statusCode).toBe(401);
    const { apiKey } = await closed.apiKeys.create({ kind: 'live', clientCredentials: false });
    const headers = { 'x-api-key': apiKey };
    expect((await post(closed, 'demo', { ...form, headers: { ...form.headers, ...headers } })).statusCode).toBe(200);
    expect((await closed.http.inject({ url: '/v2/open-sanctions/datasets', headers })).statusCode).toBe(200);
  });
});

describe('404', () => {
  it.each(['nowhere', 'DEMO', '..%2fdemo', '__proto__', 'a'.repeat(64)])('answers the dataset %j', async (name) => {
    const reply = await screen(app, name, HEADER);
    expect(reply.statusCode).toBe(404);
    expect(reply.json().message).toBe(
      'There is no dataset with this name. There are demo, and the collections default, sanctions, peps.',
    );
  });
});

describe('405', () => {
  it('is the answer unless a form is posted', async () => {
    const reply = await app.http.inject('/v2/open-sanctions/file/demo');
    expect(reply.statusCode).toBe(405);
    expect(reply.headers.allow).toBe('POST');
  });
});

describe('413', () => {
  it('begins with the first byte too many', async () => {
    expect((await screen(app, 'demo', fileOf(SCREENING_FILE_MAX_BYTES))).statusCode).toBe(200);
    const reply = await screen(app, 'demo', fileOf(SCREENING_FILE_MAX_BYTES + 1));
    expect(reply.statusCode).toBe(413);
    expect(reply.json().message).toBe('The file may have at most 2097152 bytes; split it.');
  });

  it('counts the whole form, and then says so', async () => {
    const reply = await post(
      app,
      'demo',
      createForm(createPart('x'.repeat(3_000_000), { field: 'note' }), csvPart(HEADER)),
    );
    expect(reply.statusCode).toBe(413);
    expect(reply.json().message).toBe('The form may have at most 2359296 bytes in all, and its file 2097152.');
  });

  it.each([
    ['before', (form: Buffer, rubbish: Buffer) => [rubbish, Buffer.from('\r\n'), form]],
    ['behind', (form: Buffer, rubbish: Buffer) => [form, rubbish]],
  ])('cuts off a body of unknown length that continues %s its parts', async (_name, bodyOf) => {
    const { payload, headers } = csvForm(HEADER);
    const socket = await connectTo(app);
    const reply = new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (chunk) => (text += chunk));
      socket.on('error', () => {}).on('close', () => resolve(text)); // A reset, because the rest is not read.
    });
    socket.write(
      `POST /v2/open-sanctions/file/demo HTTP/1.1\r\nhost: x\r\ncontent-type: ${headers['content-type']}\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    // More than is discarded after a refusal, and never the last chunk: only a limit can end this
    // request.
    for (const part of bodyOf(payload, Buffer.alloc(40_000_000, 'x'))) {
      socket.write(`${part.length.toString(16)}\r\n`);
      socket.write(part);
      socket.write('\r\n');
    }
    expect(await reply).toMatch(/^HTTP\/1\.1 413 [\s\S]*bytes in all/);
  });

  it('reaches a client that is still sending, and keeps the connection open', async () => {
    const { payload, headers } = csvForm(fileOf(5_000_000));
    const head = (length: number) =>
      `POST /v2/open-sanctions/file/demo HTTP/1.1\r\nhost: x\r\ncontent-type: ${headers['content-type']}\r\ncontent-length: ${length}\r\n\r\n`;
    const small = csvForm(HEADER).payload;
    const socket = await connectTo(app);
    const replies = Promise.withResolvers<string>();
    let text = '';
    socket.on('error', replies.reject).on('data', (chunk) => {
      text += chunk;
      if (text.includes('"results":[')) replies.resolve(text);
    });
    socket.write(head(payload.length));
    socket.write(payload);
    socket.write(head(small.length));
    socket.write(small);
    expect((await replies.promise).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });
});

describe('415', () => {
  it.each([
    'application/json',
    'text/csv',
    'text/plain',
    'application/octet-stream',
    'application/x-www-form-urlencoded',
    'multipart/mixed; boundary=x',
    'nonsense',
  ])('rejects %s', async (type) => {
    const reply = await post(app, 'demo', { payload: Buffer.from(HEADER), headers: { 'content-type': type } });
    expect(reply.statusCode).toBe(415);
    expect(reply.json().message).toContain('multipart/form-data');
  });

  it('rejects forms on other routes', async () => {
    const { payload, headers } = csvForm(HEADER);
    expect((await app.http.inject({ method: 'POST', url: '/strings', payload, headers })).statusCode).toBe(415);
  });
});

describe('503', () => {
  it('clears no one if a dataset cannot be loaded, and a collection names it', async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.dispose());
    const { indexFile } = await storeList(database.dataDir, 'broken', [createListedEntity('b-1', 'Torvald Eskeland')]);
    await storeList(database.dataDir, 'whole', [createListedEntity('w-1', 'Quorvina Belzanfer')]);
    await storeList(database.dataDir, 'damaged', [createListedEntity('d-1', 'Hevyas Pomlud')]);
    await writeFile(join(database.dataDir, 'datasets', 'broken', indexFile), 'rubbish');
    await writeFile(join(database.dataDir, 'datasets', 'damaged', 'dataset.json'), '{');
    const ill = await startTestApp({ database });
    const csv = `${HEADER}1,Torvald,Eskeland,\n`;
    for (const name of ['broken', 'damaged']) {
      const reply = await screen(ill, name, csv);
      expect(reply.statusCode).toBe(503);
      expect(reply.json().message).toContain(`The dataset ${name} could not be loaded, so names cannot be checked`);
      expect(reply.headers['retry-after']).toBeDefined();
    }
    expect((await screenSuccessfully(ill, 'whole', csv)).summary.warning).toBeUndefined();
    const { summary } = await screenSuccessfully(ill, 'sanctions', csv);
    expect(summary).toMatchObject({ datasetVersion: 'whole@1' });
    expect(summary.warning).toMatch(/could not be loaded: .*broken/);
    expect(summary.warning).toMatch(/damaged/);
    const { datasets } = (await ill.http.inject('/v2/open-sanctions/datasets')).json();
    const states = Object.fromEntries(datasets.map(({ name, status }: Record<string, string>) => [name, status]));
    expect(states).toMatchObject({ broken: 'failed', damaged: 'failed', whole: 'ready', demo: 'ready' });
    expect((await ill.http.inject('/ready')).statusCode).toBe(200); // The other datasets can be searched.
  });
});
