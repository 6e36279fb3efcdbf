// A hostile client on a real socket: each attack gets the right status, crashes nothing and stores
// nothing.
import { execFile, spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

/** Timeouts short enough for a test */
const HURRIED = { headersMs: 200, bodyGraceMs: 400, idleMs: 5_000 };

let app: TestApp;
let port: number;
let disposeShared: () => Promise<void>;

/** One application takes all attacks. Its stored data is compared before and after. */
beforeAll(async () => {
  app = await startTestApp({ atEnd: (dispose) => (disposeShared = dispose) });
  port = await listen(app);
});
afterAll(() => disposeShared());

async function listen({ http }: TestApp): Promise<number> {
  return Number(new URL(await http.listen({ port: 0, host: '127.0.0.1' })).port);
}

/** Sends raw bytes and returns everything received until the server closes. */
function send(...parts: (string | Buffer)[]): Promise<string> {
  return sendTo(port, ...parts);
}

function sendTo(toPort: number, ...parts: (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(toPort, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += chunk));
    socket.on('close', () => resolve(received));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? resolve(received) : reject(error),
    );
    for (const part of parts) socket.write(part);
  });
}

function post(body: string | Buffer, headers: Record<string, string> = {}): Promise<string> {
  const all = {
    host: 'x',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return send(`POST /strings HTTP/1.1\r\n${head.join('')}\r\n`, body);
}

const get = (path: string) => send(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);

const statusOf = (reply: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(reply)?.[1]);
const messageOf = (reply: string) => JSON.parse(reply.slice(reply.indexOf('\r\n\r\n') + 4)).message as string;

async function storedStrings(): Promise<number> {
  return (await app.http.inject('/strings')).json().strings.length;
}

describe('bodies', () => {
  it.each([
    ['broken JSON', '{"value": }', 400],
    ['JSON that ends early', '{"value": "a', 400],
    ['two documents', '{"value":"a"}{"value":"b"}', 400],
    ['a comment', '{"value":"a"} // b', 400],
    ['a bare word', 'hello', 400],
    ['invalid UTF-8', Buffer.from([...Buffer.from('{"value":"'), 0xff, 0xfe, ...Buffer.from('"}')]), 400],
    ['an overlong encoding', Buffer.from([...Buffer.from('{"value":"'), 0xc0, 0x80, ...Buffer.from('"}')]), 400],
    ['UTF-16', Buffer.from('{"value":"a"}', 'utf16le'), 400],
    ['__proto__', '{"__proto__":{"admin":true},"value":"a"}', 400],
    ['constructor.prototype', '{"constructor":{"prototype":{"admin":true}},"value":"a"}', 400],
    ['an escaped __proto__', '{"\\u005f_proto__":{"admin":true},"value":"a"}', 400],
    ['a deep array', `{"value":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 400],
    ['a deep object', `{"value":${'{"a":'.repeat(60_000)}1${'}'.repeat(60_000)}}`, 400],
    ['more than the limit', `{"value":"${'a'.repeat(800_000)}"}`, 413],
  ])('rejects %s', async (_name, body, status) => {
    const before = await storedStrings();
    const reply = await post(body);
    expect(statusOf(reply)).toBe(status);
    expect(messageOf(reply).length).toBeGreaterThan(10);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
    expect(await storedStrings()).toBe(before);
    expect((await app.http.inject('/health')).statusCode).toBe(200);
  });

  it('does not quote the body in its error or its log', async () => {
    const reply = await post('{"value": hunter2}');
    expect(statusOf(reply)).toBe(400);
    expect(reply).not.toContain('hunter2');
    expect(app.logged()).not.toContain('hunter2');
  });

  it.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'nonsense',
    '',
  ])('rejects the media type "%s" with 415', async (type) => {
    const before = await storedStrings();
    expect(statusOf(await post('{"value":"a"}', { 'content-type': type }))).toBe(415);
    expect(await storedStrings()).toBe(before);
  });

  it('takes the last of two equal keys, and treats SQL as plain text', async () => {
    expect(statusOf(await post('{"value":"a","value":"\'; drop table strings; --"}'))).toBe(201);
    expect((await app.http.inject('/strings')).json().strings[0].value).toBe("'; drop table strings; --");
  });

  it('cuts off an endless chunked body at the limit with 413', async () => {
    const hurriedPort = await listen(await startTestApp({ timeouts: HURRIED }));
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
    const head =
      'POST /strings HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
    const reply = await sendTo(hurriedPort, head, ...Array<string>(16).fill(chunk));
    expect(statusOf(reply)).toBe(413);
  });

  it.each([
    ['/nothing', 'POST', 404],
    ['/strings', 'PUT', 405],
  ])('refuses a malformed body to %s by %s without reading it', async (path, method, status) => {
    const head = `${method} ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 4\r\n`;
    expect(statusOf(await send(`${head}connection: close\r\n\r\n{bad`))).toBe(status);
  });

  it('refuses a request with both length headers (request smuggling)', async () => {
    const reply = await send(
      'POST /strings HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n',
      '0\r\n\r\nGET /health HTTP/1.1\r\nhost: x\r\n\r\n',
    );
    expect(statusOf(reply)).toBe(400);
    expect(reply.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});

describe('an empty body with any content type', () => {
  const TYPES = ['application/x-www-form-urlencoded', 'text/plain', 'application/xml', 'nonsense'];
  const NOWHERE = '00000000-0000-4000-8000-000000000000';
  let apiKey: string;
  beforeAll(async () => {
    ({ apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false }));
  });

  it.each([
    ['/session', 201],
    [`/v2/verification-session/${NOWHERE}/trust-device`, 404],
    [`/v2/webhook-deliveries/${NOWHERE}/resend`, 404],
    ['/node/api-key/checkApiKeyValid', 200],
    ['/strings', 400],
  ])('counts as missing: POST %s gets %i', async (path, status) => {
    for (const type of TYPES) {
      const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\ncontent-type: ${type}\r\n`;
      const reply = await send(`${head}content-length: 0\r\nconnection: close\r\n\r\n`);
      expect([type, statusOf(reply)]).toEqual([type, status]);
      expect(statusOf(await send(`${head}connection: close\r\n\r\n`))).toBe(status);
    }
  });

  it('is an empty file on routes that read their body themselves', async () => {
    const head = `POST /v2/screening/subjects/import HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\ncontent-length: 0\r\n`;
    expect(statusOf(await send(`${head}content-type: text/csv\r\nconnection: close\r\n\r\n`))).toBe(400);
    expect(statusOf(await send(`${head}content-type: text/plain\r\nconnection: close\r\n\r\n`))).toBe(415);
  });
});

it('refuses a broken import while its client is still sending', async () => {
  const { apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false });
  const csv = Buffer.from(`reference,name\n"a"b,c\n${'x,Nobody Listed\n'.repeat(300_000)}`);
  const head = `POST /v2/screening/subjects/import HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\ncontent-type: text/csv\r\n`;
  const reply = await send(`${head}content-length: ${csv.length}\r\nconnection: close\r\n\r\n`, csv);
  expect(statusOf(reply)).toBe(400);
  expect(messageOf(reply)).toContain('line 2');
});

/** Sends bodies as `http.client` and `urllib` do, and prints one status for each. */
const PYTHON = `
import http.client, json, sys, urllib.error, urllib.request
port, key, paths = int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
headers = {'content-type': 'application/json', 'x-api-key': key}
for path in paths:
    for size in (6_000_000, 20_000_000):
        body = b'x' * size
        connection = http.client.HTTPConnection('127.0.0.1', port)
        connection.request('POST', path, body, headers)
        reply = connection.getresponse()
        text = reply.read()
        print(path, size, reply.status, json.loads(text).get('requestId') is not None or text)
        connection.close()
    try:
        urllib.request.urlopen(urllib.request.Request('http://127.0.0.1:%d%s' % (port, path), body, headers))
    except urllib.error.HTTPError as error:
        print(path, 'urllib', error.code, True)
`;
const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('a client in Python’s standard library', () => {
  it.runIf(hasPython)('reads the refusal of a large body on every route that takes JSON', async () => {
    const { apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false });
    const { paths } = (await app.http.inject('/openapi.json')).json<{
      paths: Record<string, { post?: { requestBody?: { content: object } } }>;
    }>();
    const json = Object.entries(paths)
      .filter(([, { post }]) => 'application/json' in (post?.requestBody?.content ?? {}))
      .map(([path]) => path.replaceAll(/\{[^}]+\}/g, 'x'));
    expect(json.length).toBeGreaterThan(20);
    const tried = onlyWhenLong(json, ['/strings', '/session', '/node/plainEnroll']);
    expect(json).toEqual(expect.arrayContaining(tried));
    const { stdout, stderr } = await promisify(execFile)('python3', [
      '-c',
      PYTHON,
      String(port),
      apiKey,
      JSON.stringify([...tried, '/v2/open-sanctions/file/demo']),
    ]);
    expect(stderr).toBe('');
    const lines = stdout.trim().split('\n');
    expect(lines.length).toBe(3 * (tried.length + 1));
    for (const line of lines) expect(line).toMatch(/ (400|404|413|415|422) /);
    const large = lines.filter((line) => / (20000000|urllib) /.test(line) && tried.includes(line.split(' ')[0]!));
    // A wallet's answer without a session is refused before it is read.
    expect(large.filter((line) => !line.includes(' 413 ')).every((line) => / 404 |\/wallet/.test(line))).toBe(true);
    const refused = large.filter((line) => line.includes(' 413 '));
    expect(refused.length).toBeGreaterThan(2 * (tried.length - onlyWhenLong(6, 1)));
  });
});

describe('paths', () => {
  it.each([
    ['/strings/../health', 404],
    ['/strings/..%2fhealth', 404],
    ['//strings', 404],
    ['/strings/', 404],
    ['/STRINGS', 404],
    ['/strings/%', 400],
    ['/strings/%zz', 400],
    ['/strings/%00', 404],
    ['/%2e%2e/%2e%2e/etc/passwd', 404],
    ['/assets/../../../package.json', 404],
    ['/__proto__', 404],
    ['/constructor', 404],
    [`/strings/${'a'.repeat(3_000)}`, 404],
    ['/strings?limit=1&cursor=%00', 400],
    ['/strings?__proto__[x]=1', 200],
    ['/strings;limit=1', 404],
  ])('GET %s gets %i', async (path, status) => {
    const reply = await get(path);
    expect(statusOf(reply)).toBe(status);
    expect(reply).toMatch(/^x-request-id: \S+\r$/im);
    expect(reply).toMatch(/^x-content-type-options: nosniff\r$/im);
  });

  it.each([
    ['PUT', '/strings', 'GET, HEAD, POST'],
    ['POST', '/health', 'GET, HEAD'],
    ['PATCH', '/strings/abc', 'DELETE, GET, HEAD'],
    ['OPTIONS', '/strings', 'GET, HEAD, POST'],
    ['TRACE', '/', 'GET, HEAD'],
  ])('%s %s gets 405 with the allowed methods', async (method, path, allow) => {
    const reply = await send(`${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(statusOf(reply)).toBe(405);
    expect(reply).toContain(`allow: ${allow}\r\n`);
  });
});

describe('headers', () => {
  it('rejects oversized headers with 431', async () => {
    const reply = await send(`GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`);
    expect(statusOf(reply)).toBe(431);
    expect(messageOf(reply)).toContain('16384 bytes');
  });

  it.each([
    ['a request that is not HTTP', 'hello there\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\n: x\r\n\r\n'],
    ['a negative length', 'POST /strings HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n'],
  ])('rejects %s with 400', async (_name, text) => {
    expect(statusOf(await send(text))).toBe(400);
  });

  it("rejects a missing host with 400 and an unmet expectation with 417, in the API's error format", async () => {
    const hostless = await send('GET / HTTP/1.1\r\nconnection: close\r\n\r\n');
    expect(statusOf(hostless)).toBe(400);
    expect(messageOf(hostless)).toContain('Host');
    const expecting = await send('GET / HTTP/1.1\r\nhost: x\r\nexpect: a miracle\r\n\r\n');
    expect(statusOf(expecting)).toBe(417);
    expect(expecting).toMatch(/x-request-id: \S/);
  });

  it.each([
    ['twice', 'host: x\r\nhost: y'],
    ['twice with the same value', 'Host: x\r\nhost: x'],
    ['three times', 'host: x\r\nHOST: y\r\nhost: z'],
  ])('rejects the host %s with 400', async (_name, hosts) => {
    const reply = await send(`GET / HTTP/1.1\r\n${hosts}\r\nconnection: close\r\n\r\n`);
    expect(statusOf(reply)).toBe(400);
    expect(messageOf(reply)).toContain('only once');
  });

  it("reports an untrusted proxy's headers once, without its address", async () => {
    const forwarded = 'GET /strings HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 203.0.113.9\r\nconnection: close\r\n\r\n';
    for (let count = 0; count < 3; count += 1) expect(statusOf(await send(forwarded))).toBe(200);
    expect(app.logged().match(/a proxy that TRUST_PROXY does not name/g)).toHaveLength(1);
    expect(app.logged()).not.toContain('203.0.113.9');
  });

  it.each([
    ['and echoes it', 'order-42/try:1', true],
    ['and replaces it if it could break a log line', 'a b<script>', false],
    ['and replaces it if it is too long', 'a'.repeat(129), false],
  ])('reads x-request-id %s', async (_name, id, echoed) => {
    const reply = await send(`GET / HTTP/1.1\r\nhost: x\r\nx-request-id: ${id}\r\nconnection: close\r\n\r\n`);
    const returned = /^x-request-id: (.*)\r$/m.exec(reply)?.[1];
    expect(returned === id).toBe(echoed);
    expect(returned).toMatch(/^[\x21-\x7e]{1,128}$/);
    expect(app.logged()).toContain(`"requestId":"${returned}"`);
  });
});

describe('crowds', () => {
  it('rejects more than 16 concurrent requests on one connection with 503, and closes it', async () => {
    const one = 'GET /strings HTTP/1.1\r\nhost: x\r\n\r\n';
    const replies = await send(one.repeat(60));
    const statuses = [...replies.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses.filter((status) => status === '200').length).toBeLessThanOrEqual(16);
    expect(statuses).toContain('503');
  });

  it('drops a client that never reads, with its pending replies', async () => {
    const impatient = await startTestApp({ timeouts: { headersMs: 5_000, bodyGraceMs: 5_000, idleMs: 300 } });
    const impatientPort = await listen(impatient);
    const payload = { value: '\u0001'.repeat(65_536) };
    for (let index = 0; index < 5; index++) await impatient.http.inject({ method: 'POST', url: '/strings', payload });
    const socket = connect(impatientPort, '127.0.0.1').pause();
    const closed = new Promise((resolve) => impatient.http.server.once('connection', (s) => s.once('close', resolve)));
    socket.on('error', () => {});
    socket.write('GET /strings HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(10));
    await closed;
    socket.destroy();
    expect((await impatient.http.inject('/health')).statusCode).toBe(200);
  });
});

describe('slow clients', () => {
  it('rejects a body that never ends with 408', async () => {
    const before = await storedStrings();
    const hurriedPort = await listen(await startTestApp({ timeouts: HURRIED }));
    const reply = await sendTo(
      hurriedPort,
      'POST /strings HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"val',
    );
    expect(statusOf(reply)).toBe(408);
    expect(await storedStrings()).toBe(before);
  });

  it('rejects headers that never end with 408', async () => {
    const hurriedPort = await listen(await startTestApp({ timeouts: HURRIED }));
    expect(statusOf(await sendTo(hurriedPort, 'GET / HTTP/1.1\r\nhost: x\r\nx-slow: '))).toBe(408);
  });

  it('stores nothing of a body that breaks off', async () => {
    const before = await storedStrings();
    const socket = connect(port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write(
      'POST /strings HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"value":"a',
    );
    await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    expect(await storedStrings()).toBe(before);
    expect((await app.http.inject('/health')).statusCode).toBe(200);
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Runs twice with a pause, because buffers of closed sockets are freed only then. */
async function usedBytes(): Promise<number> {
  collectGarbage();
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('memory', () => {
  it('stays flat under a flood of refused bodies', async () => {
    const flood = async (rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        await Promise.all([
          post(`{"value":"${'a'.repeat(780_000)}"`),
          post(`{"value":${'['.repeat(100_000)}`),
          post('x'.repeat(1_000_000)),
          post('{"__proto__":1}'),
        ]);
      }
    };
    const rounds = onlyWhenLong(40, 8);
    await flood(onlyWhenLong(10, 5));
    const before = await usedBytes();
    await flood(rounds);
    // A round sends 2 MB. The memory after a garbage collection must not grow with the rounds.
    expect((await usedBytes()) - before).toBeLessThan(10_000_000);
  });
});
