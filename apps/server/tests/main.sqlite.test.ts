// The process as an operator sees it: start, restart, refusal to start, signals.
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectByTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { IS_LONG, onlyWhenLong } from '@limen/testing/rounds.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import type { EndedProcess } from '#testing/processes/listening-process.ts';
import { runToEnd, type ServerProcess, startServer } from '#testing/processes/server-process.ts';
import { startTestApp } from '#testing/test-app.ts';
import { describeStartFailure } from '../src/platform/start-failure.ts';

const KEY_A = Buffer.alloc(32, 0xa).toString('base64');
const KEY_B = Buffer.alloc(32, 0xb).toString('base64');

async function newDatabase(): Promise<Record<string, string>> {
  const database = await createTestDatabase({ empty: true });
  onTestFinished(() => database.dispose());
  return database.environment;
}

/** Starts in this process. `runToEnd` covers that a refusal ends the process. */
async function refuseHere(environment: Record<string, string>): Promise<EndedProcess> {
  try {
    const dataDir = environment['DATA_DIR']!;
    const database = { dataDir, url: environment['DATABASE_URL'], environment: {}, dispose: async () => {} };
    await (await startTestApp({ database, environment })).listen();
    return { code: 0, stdout: '', stderr: '' };
  } catch (error) {
    return { code: 1, stdout: '', stderr: describeStartFailure(error) };
  }
}

const refuse = onlyWhenLong(runToEnd, refuseHere);

async function create(server: ServerProcess, value: string): Promise<string> {
  const reply = await fetch(`${server.address}/strings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ value }),
  });
  expect(reply.status).toBe(201);
  return ((await reply.json()) as { id: string }).id;
}

const read = async (server: ServerProcess, id: string) =>
  ((await (await fetch(`${server.address}/strings/${id}`)).json()) as { value: string }).value;

describe('starting', () => {
  it('logs its address, exits with 0 on SIGTERM and SIGINT, and keeps its data and its development key', async () => {
    const environment = await newDatabase();
    const first = await startServer(environment);
    expect(first.address).toMatch(/^http:\/\/localhost:\d+$/);
    const noted = join(environment['DATA_DIR']!, 'console-address');
    expect(readFileSync(noted, 'utf8')).toBe(`${first.address}/console\n`);
    const id = await create(first, 'kept');
    const key = /development key (\S+)/.exec(first.stdout())?.[1];
    const ask = async (headers: Record<string, string>) =>
      (await fetch(`${first.address}/v2/webhook-deliveries`, { headers })).status;
    expect(await ask({})).toBe(401);
    // Only the embedded default creates one.
    if (engine === 'sqlite') {
      expect(key).toMatch(/^limen_development_[\w-]{43}$/);
      expect(await ask({ 'x-api-key': key! })).toBe(200);
    }
    first.child.kill('SIGHUP');
    await expect.poll(first.stdout).toContain('there is no certificate to reload');
    expect(await first.stop('SIGTERM')).toBe(0);
    expect(existsSync(noted)).toBe(false);
    const second = await startServer(environment);
    expect(await read(second, id)).toBe('kept');
    expect(second.stdout().match(/limen_development_[\w-]+/g)).toEqual(key ? [key] : null);
    expect(await second.stop('SIGINT')).toBe(0);
  });

  it.runIf(IS_LONG)('reads the development key from DEV_API_KEY without showing it', async () => {
    const key = 'my-own-development-key';
    const environment = { ...(await newDatabase()), REQUIRE_API_KEY: 'strings', DEV_API_KEY: key, MASTER_KEY: KEY_A };
    for (let start = 0; start < 2; start++) {
      const server = await startServer(environment);
      // docs/runbooks.md: root can recover the master key of a running process.
      if (process.platform === 'linux')
        expect(readFileSync(`/proc/${server.child.pid}/environ`, 'utf8').split('\0')).toContain(`MASTER_KEY=${KEY_A}`);
      expect((await fetch(`${server.address}/strings`, { headers: { 'x-api-key': key } })).status).toBe(200);
      await server.stop('SIGTERM');
      expect(server.stdout() + server.stderr()).not.toContain(key);
    }
  });

  it.runIf(IS_LONG)('lets several processes start on one new database at once', async () => {
    const environment = await newDatabase();
    const servers = await Promise.all([1, 2, 3].map(() => startServer(environment)));
    const ids = await Promise.all(servers.map((server, index) => create(server, `from ${index}`)));
    for (const server of servers) {
      expect(await Promise.all(ids.map((id) => read(server, id)))).toEqual(['from 0', 'from 1', 'from 2']);
    }
  });

  it.runIf(IS_LONG)('warns if an open area is reachable from other machines', async () => {
    const server = await startServer({ ...(await newDatabase()), HOST: '0.0.0.0' });
    await server.stop('SIGTERM');
    expect(server.stdout()).toContain('listening beyond loopback while these need no API key: strings');
    expect(server.stdout()).toContain('listening beyond loopback in development mode');
  });
});

describe('TLS', () => {
  const file = (name: string) => fileURLToPath(new URL(`../testing/tls/${name}.pem`, import.meta.url));
  const files = { TLS_CERT: file('cert'), TLS_KEY: file('key') };

  it.each([
    ['production', 'max-age=31536000'],
    ['test', undefined],
  ])('serves HTTPS with the given certificate; Strict-Transport-Security in %s: %s', async (mode, stay) => {
    const app = await startTestApp({ environment: { ...files, NODE_ENV: mode, MASTER_KEY: KEY_A } });
    const address = await app.listen();
    expect(address).toMatch(/^https:/);
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${address}/health`, { ca: readFileSync(file('cert')) }, resolve).on('error', reject);
    });
    reply.resume();
    expect(reply.statusCode).toBe(200);
    expect(reply.headers['strict-transport-security']).toBe(stay);
    // Even if the request is unreadable and the headers bypass Node's.
    const broken = connectByTls({ port: Number(new URL(address).port), ca: readFileSync(file('cert')) });
    broken.end('nonsense\r\n\r\n');
    expect(/^strict-transport-security: (.*?)\r$/im.exec(await text(broken))?.[1]).toBe(stay);
  });

  it.skipIf(process.platform === 'win32')('loads a renewed certificate on SIGHUP, which never ends it', async () => {
    const environment = await newDatabase();
    const folder = environment['DATA_DIR']!;
    const own = { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') };
    const put = (cert: string, key: string) => {
      copyFileSync(file(cert), own.TLS_CERT);
      copyFileSync(file(key), own.TLS_KEY);
    };
    put('cert', 'key');
    const server = await startServer({ ...environment, ...own, HOST: '127.0.0.1', SHUTDOWN_DELAY_SECONDS: '60' });
    const presented = async () => {
      const socket = connectByTls({ port: Number(new URL(server.address).port), rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const { subject } = socket.getPeerX509Certificate()!;
      socket.destroy();
      return subject;
    };
    const count = (text: string) => server.stdout().split(text).length - 1;
    put('renewed-cert', 'key');
    server.child.kill('SIGHUP');
    await expect.poll(() => count('TLS_KEY does not belong to TLS_CERT')).toBe(1);
    expect(await presented()).toBe('CN=limen test only');
    put('renewed-cert', 'renewed-key');
    for (let nth = 0; nth < 3; nth += 1) server.child.kill('SIGHUP');
    await expect.poll(presented).toBe('CN=limen test only\\, renewed');

    // Even during a stop, while load balancers are turned away.
    server.child.kill('SIGTERM');
    await expect.poll(() => count('stopping soon')).toBe(1);
    server.child.kill('SIGHUP');
    const ask = (path: string) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        get(`${server.address}${path}`, { ca: readFileSync(own.TLS_CERT), agent: false }, resolve).on('error', reject);
      });
    const ready = await ask('/ready');
    expect([ready.statusCode, JSON.parse(await text(ready)).checks.service]).toEqual([503, 'stopping']);
    const served = await ask('/openapi.json');
    expect([served.statusCode, (await text(served)).length > 0]).toEqual([200, true]);
    // The second signal ends the wait. One within a second of the first counts as a duplicate.
    const stopped = server.stop('SIGTERM');
    const again = setInterval(() => server.child.kill('SIGTERM'), 200);
    onTestFinished(() => clearInterval(again));
    await expect.poll(() => count('stopping: finishing')).toBe(1);
    clearInterval(again);
    server.child.kill('SIGHUP');
    expect(await stopped).toBe(0);
  });

  it.each([
    [{ TLS_CERT: '/nowhere/cert.pem' }, 'TLS_CERT: the file /nowhere/cert.pem cannot be read (ENOENT).'],
    [
      { TLS_KEY: files.TLS_CERT },
      `TLS_KEY: the file ${files.TLS_CERT} contains no private key in PEM format. It contains a certificate, which belongs in TLS_CERT.`,
    ],
  ])('explains in one sentence what is wrong with %j', async (wrong, sentence) => {
    const { code, stderr } = await refuse({ ...(await newDatabase()), ...files, ...wrong });
    expect({ code, stderr: stderr.trim() }).toEqual({ code: 1, stderr: sentence });
  });
});

describe('refusing to start', () => {
  it('lists every configuration problem and changes nothing', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'limen-refuse-'));
    onTestFinished(() => rmSync(parent, { recursive: true }));
    const dataDir = join(parent, 'data');
    const { code, stdout, stderr } = await runToEnd({ DATA_DIR: dataDir, PORT: 'x', LOG_LEVEL: 'y' });
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('The configuration has 2 problems.');
    expect(stderr).toContain('  - PORT must be');
    expect(stderr).toContain('  - LOG_LEVEL must be');
    expect(existsSync(dataDir)).toBe(false);
  });

  it('explains in one sentence that the master key is wrong', async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.dispose());
    const { environment } = database;
    const startHere = () => startTestApp({ database, environment: { MASTER_KEY: KEY_A } });
    const app = await startHere();
    const { record, apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false });
    await app.close();
    const { code, stderr } = await refuse({ ...environment, MASTER_KEY: KEY_B });
    expect(code).toBe(1);
    expect(stderr.trim()).toMatch(/^The master key does not belong to this database: .* Nothing was changed\.$/);
    expect(await (await startHere()).apiKeys.reveal(record.id)).toBe(apiKey);
  });

  it('explains in one sentence that the master key is missing, and creates no other', async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.dispose());
    const { environment } = database;
    await (await startTestApp({ database })).close();
    rmSync(join(environment['DATA_DIR']!, 'master.key'));
    const { code, stderr } = await refuse(environment);
    expect(code).toBe(1);
    expect(stderr.trim()).toMatch(/^The database is sealed and its master key is missing: .* Nothing was changed\.$/);
    expect(readdirSync(environment['DATA_DIR']!)).not.toContain('master.key');
  });

  it('reports that the port is taken', async () => {
    const other = createServer();
    onTestFinished(() => void other.close());
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await refuse({ ...(await newDatabase()), PORT: String(port) });
    expect(code).toBe(1);
    expect(stderr.trim()).toBe(`Port ${port} is already in use; stop the other process or set PORT.`);
  });

  it.runIf(engine === 'postgres')('explains why the database is unreachable', async () => {
    const environment = await newDatabase();
    const nobody = { DATABASE_URL: 'postgres://limen@127.0.0.1:1/limen', DATABASE_WAIT_SECONDS: '1' };
    const { code, stdout, stderr } = await runToEnd({ ...environment, ...nobody });
    expect(code).toBe(1);
    const reason = 'ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:1';
    expect(stdout).toContain(`"reason":"${reason}","msg":"waiting for the database"`);
    expect(stderr.trim()).toContain(
      `The database cannot be used (${reason}); the start waited 1 s for it. Check DATABASE_URL`,
    );
  });

  it.runIf(engine === 'postgres')('names a missing database at once, in one sentence', async () => {
    const environment = await newDatabase();
    const url = new URL(environment['DATABASE_URL']!);
    url.pathname = 'missing';
    const { code, stderr } = await refuse({ ...environment, DATABASE_URL: url.href });
    expect(code).toBe(1);
    expect(stderr.trim()).toBe('The database that DATABASE_URL names does not exist; create it first (createdb).');
  });

  it.each([
    [
      'HOST',
      '203.0.113.9',
      'HOST is not an address of this machine (203.0.113.9); localhost is this machine only, 0.0.0.0 all its addresses.',
    ],
    ['DATA_DIR', '/etc/hostname', 'DATA_DIR is not a folder; name a folder or a place for one.'],
  ])('explains in one sentence what is wrong with %s', async (name, value, sentence) => {
    const { code, stderr } = await refuse({ DATA_DIR: (await newDatabase())['DATA_DIR']!, [name]: value });
    expect(code).toBe(1);
    expect(stderr.trim()).toBe(sentence);
  });

  it('requires an explicit master key in production', async () => {
    const { code, stderr } = await refuse({ ...(await newDatabase()), NODE_ENV: 'production' });
    expect(code).toBe(1);
    expect(stderr).toContain('MASTER_KEY is required in production');
  });
});

describe('stopping', () => {
  it('announces the end of a connection with the pending reply', async () => {
    const server = await startServer(await newDatabase());
    const { hostname, port } = new URL(server.address);
    const socket = connect(Number(port), hostname);
    let reply = '';
    socket.on('data', (chunk) => (reply += chunk));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const body = JSON.stringify({ value: 'in flight' });
    socket.write(
      `POST /strings HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n` +
        'expect: 100-continue\r\n\r\n',
    );
    await expect.poll(() => reply).toContain('100 Continue');
    const ended = server.stop('SIGTERM');
    await expect.poll(() => fetch(`${server.address}/health`).then(String, () => 'refused')).toBe('refused');
    socket.write(body);
    await closed;
    expect(reply).toContain('201 Created');
    expect(reply.toLowerCase()).toContain('\r\nconnection: close\r\n');
    expect(await ended).toBe(0);
  });

  it('finishes the request in progress, refuses new ones and exits with 0', async () => {
    const server = await startServer(await newDatabase());
    const { hostname, port } = new URL(server.address);
    const socket = connect(Number(port), hostname);
    let reply = '';
    socket.on('data', (chunk) => (reply += chunk));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const body = JSON.stringify({ value: 'in flight' });
    socket.write(
      `POST /strings HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n` +
        'expect: 100-continue\r\n\r\n',
    );
    // Only a request for the body proves that the server has the request.
    await expect.poll(() => reply).toContain('100 Continue');
    const ended = server.stop('SIGTERM');
    await expect
      .poll(() =>
        fetch(`${server.address}/health`).then(
          (r) => r.status,
          () => 'refused',
        ),
      )
      .toBe('refused');
    // Sends one more request after the body on the same connection, which is refused as new.
    socket.write(`${body}GET /health HTTP/1.1\r\nhost: x\r\n\r\n`);
    await closed;
    expect(reply).toContain('201 Created');
    const refusal = reply.slice(reply.lastIndexOf('HTTP/1.1'));
    expect(refusal).toMatch(/^HTTP\/1\.1 503 /);
    expect(refusal).toContain('x-error-code: unavailable');
    expect(refusal).toMatch(/x-request-id: \S/);
    expect(await ended).toBe(0);
  });
});
