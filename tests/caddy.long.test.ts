// Caddy in front of two processes, with the shipped file: everything people and hosts rely on works
// through it.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SCREENING_FILE_MAX_BYTES } from '@limen/contract';
import { freePort } from '@limen/testing/postgres-cluster.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDevice } from '../apps/server/testing/device.ts';
import { findCaddy } from '../scripts/system-packages.ts';
import { findClusterPrograms } from '../testing/cluster/find-programs.ts';
import { type Caddy, createCaddy } from '../testing/cluster/proxies.ts';
import { type RunningCluster, startCluster } from '../testing/cluster/start-cluster.ts';

const found = findClusterPrograms();
const programs = 'programs' in found ? found.programs : undefined;
const binary = findCaddy();
/** Few people and a column that is not screened, because only the bytes matter. */
const ROWS = 2_000;
const NOTE = 'n'.repeat(960);

interface Ask {
  method?: string;
  headers?: Record<string, string>;
  body?: Uint8Array | string;
}

describe.skipIf(!programs || !binary)('Caddy', () => {
  let cluster: RunningCluster;
  let caddy: Caddy;
  let folder: string;
  let [port, plainPort] = [0, 0];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'limen-caddy-'));
    chmodSync(folder, 0o755);
    [port, plainPort] = [await freePort(), await freePort()];
    cluster = await startCluster({ programs: programs!, services: 2, environment: () => ({ NODE_ENV: 'test' }) });
    const servicePorts = cluster.serviceUrls.map((url) => Number(new URL(url).port));
    caddy = createCaddy({ binary: binary!, folder, port, plainPort, servicePorts });
    await caddy.start();
  }, 180_000);
  afterAll(async () => {
    await caddy?.stop();
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Through Caddy, verifying its certificate. Resolves as soon as the headers arrive. */
  function ask(path: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const ca = readFileSync(caddy.authorityFile);
      const begun = request({ host: 'localhost', port, path, method, ca, headers, agent: false }, resolve);
      begun.once('error', reject).end(body);
    });
  }
  const write = async (value: string) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': cluster.apiKey };
    const reply = await ask('/strings', { method: 'POST', headers, body: JSON.stringify({ value }) });
    return { status: reply.statusCode, text: await text(reply) };
  };

  it('has a certificate, redirects plain requests, and forwards pages', async () => {
    const isReady = async () => (await ask('/ready').catch(() => undefined))?.statusCode;
    await expect.poll(isReady, { timeout: 30_000 }).toBe(200); // its certificate is created in the background
    const plain = await fetch(`http://localhost:${plainPort}/launch`, { redirect: 'manual' });
    expect([plain.status, plain.headers.get('location')]).toEqual([308, 'https://localhost/launch']);
    const page = await ask('/launch');
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('streams events without delay', async () => {
    const headers = { 'content-type': 'application/json', 'x-api-key': cluster.apiKey };
    const created = JSON.parse(await text(await ask('/session', { method: 'POST', headers, body: '{}' })));
    const id = new URL(created.launchUrl).searchParams.get('sessionId')!;
    const device = await newDevice({
      async inject({ method, url, headers: own, payload }) {
        const reply = await ask(url, { method, headers: own, ...(payload && { body: payload }) });
        const told = await text(reply);
        return {
          statusCode: reply.statusCode!,
          headers: reply.headers as Record<string, string>,
          json: () => JSON.parse(told),
        };
      },
    });
    expect((await device.claim(id)).status).toBe(200);
    const signed = await device.headersFor('GET', id, 'updates', Buffer.alloc(0));
    const stream = await ask(`/device/sessions/${id}/updates`, { headers: signed });
    expect(stream.statusCode).toBe(200);
    const events = stream.setEncoding('utf8')[Symbol.asyncIterator]();
    expect((await events.next()).value).toContain('"state":"opened"');
    await device.cancel(id);
    expect((await events.next()).value).toContain('CANCELLED');
    stream.destroy();
  });

  it('accepts uploads up to the service’s limit and lets the service refuse larger ones', async () => {
    const boundary = 'limen-boundary';
    const upload = async (rows: number) => {
      const lines = Array.from({ length: rows }, (_, at) => `${at},Anna${at},Lindqvist${at},1980-01-01,${NOTE}`);
      const csv = ['id,firstname,lastname,dob,note', ...lines].join('\n');
      const body = [
        `--${boundary}`,
        'content-disposition: form-data; name="file"; filename="people.csv"',
        'content-type: text/csv',
        '',
        csv,
        `--${boundary}--`,
        '',
      ].join('\r\n');
      const headers = {
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'content-length': String(body.length),
        'x-api-key': cluster.apiKey,
      };
      const reply = await ask('/v2/open-sanctions/file/demo', { method: 'POST', headers, body });
      return { bytes: csv.length, status: reply.statusCode, text: await text(reply) };
    };
    const large = await upload(ROWS);
    expect(large.bytes).toBeGreaterThan(0.9 * SCREENING_FILE_MAX_BYTES);
    expect(large.status, large.text.slice(0, 500)).toBe(200);
    const larger = await upload(2 * ROWS);
    expect([larger.status, JSON.parse(larger.text)]).toEqual([413, expect.objectContaining({ statusCode: 413 })]);
  });

  it('continues with the other process when one is killed, and takes it back', async () => {
    // Caddy does not resend a body whose first attempt found no process, although it intends to.
    // Hosts must, as the SDK does.
    const insist = (value: string) =>
      expect.poll(async () => (await write(value)).status, { timeout: 30_000 }).toBe(201);
    await cluster.services[0]!.end('SIGKILL');
    for (let nth = 0; nth < 20; nth += 1) await insist(`without the first ${nth}`);
    await cluster.services[0]!.start();
    await cluster.services[1]!.end('SIGKILL');
    await insist('without the second');
    await cluster.services[1]!.start();
  });
});
