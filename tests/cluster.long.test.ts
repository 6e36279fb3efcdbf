// A complete cluster with the shipped configuration files: the special properties of each part.
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreatedAgeSession } from '@limen/contract';
import { freePort } from '@limen/testing/postgres-cluster.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CallDoor, newDevice } from '../apps/server/testing/device.ts';
import { runLimen } from '../apps/server/testing/run-limen.ts';
import { askPostgres } from '../testing/cluster/ask-postgres.ts';
import { findClusterPrograms } from '../testing/cluster/find-programs.ts';
import { createHaproxy } from '../testing/cluster/proxies.ts';
import { type RunningCluster, startCluster } from '../testing/cluster/start-cluster.ts';

const found = findClusterPrograms();
const programs = 'programs' in found ? found.programs : undefined;

describe.skipIf(!programs)('a cluster', () => {
  let cluster: RunningCluster;
  beforeAll(async () => {
    cluster = await startCluster({ programs: programs!, environment: () => ({ NODE_ENV: 'test' }) });
  }, 120_000);
  afterAll(() => cluster?.stop());

  const post = (path: string, body: object, base = cluster.url) =>
    fetch(base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': cluster.apiKey },
      body: JSON.stringify(body),
    });

  it('applies its limits also through the pool, which drops client parameters', async () => {
    const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
    const url = cluster.environment['DATABASE_URL']!;
    const values = [];
    for (const name of limits) values.push((await askPostgres<Record<string, string>>(url, `show ${name}`))[0]![name]);
    expect(values).toEqual(['30s', '10s', '1min']);
  });

  it('refuses operations through the pool that need a separate connection, and runs them on the primary', async () => {
    const graphs = (url: string) => runLimen(['people', 'graphs'], { environment: { DATABASE_URL: url } });
    const address = new URL(cluster.environment['DATABASE_URL']!);
    const pooled = await graphs(address.href);
    expect(pooled).toMatchObject({ code: 1, stderr: expect.stringContaining('leads to a pooler such as PgBouncer') });
    // There it fails only at pgvector, which this PostgreSQL does not have.
    address.port = String(cluster.postgres.primaryPort());
    const direct = await graphs(address.href);
    expect(direct).toMatchObject({ code: 1, stderr: expect.stringContaining('pgvector') });
  });

  it('shows writes of one process at every other', async () => {
    const created = await post('/strings', { value: 'by one' }, cluster.serviceUrls[0]!);
    const { id } = (await created.json()) as { id: string };
    for (const url of cluster.serviceUrls) expect((await fetch(`${url}/strings/${id}`)).status).toBe(200);
  });

  it('streams events from a process that did not cause them', async () => {
    const { launchUrl } = (await (await post('/session', {})).json()) as CreatedAgeSession;
    const id = new URL(launchUrl).searchParams.get('sessionId')!;
    const door = (base: string): CallDoor => ({
      async inject({ method, url, headers, payload }) {
        const reply = await fetch(base + url, { method, headers, ...(payload && { body: payload }) });
        const text = await reply.text();
        const headersOf = Object.fromEntries(reply.headers);
        return { statusCode: reply.status, headers: headersOf, json: () => JSON.parse(text) };
      },
    });
    const device = await newDevice(door(cluster.serviceUrls[1]!));
    expect((await device.claim(id)).status).toBe(200);
    const headers = await device.headersFor('GET', id, 'updates', Buffer.alloc(0));
    const stream = await fetch(`${cluster.url}/device/sessions/${id}/updates`, { headers });
    expect(stream.status).toBe(200);
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toContain('"state":"opened"');
    await device.cancel(id);
    expect((await reader.read()).value).toContain('CANCELLED');
  });

  it('loses nothing acknowledged when its primary is killed and the replica takes over', async () => {
    const ids: string[] = [];
    for (let nth = 0; nth < 20; nth += 1) {
      const { id } = (await (await post('/strings', { value: `before ${nth}` })).json()) as { id: string };
      ids.push(id);
    }
    await cluster.promote('SIGKILL');
    await expect.poll(async () => (await post('/strings', { value: 'after' })).status, { timeout: 20_000 }).toBe(201);
    for (const id of ids) expect((await fetch(`${cluster.url}/strings/${id}`)).status).toBe(200);
    await cluster.postgres.addReplica();
    expect((await post('/strings', { value: 'with a replica again' })).status).toBe(201);
  });
});

describe.skipIf(!programs)('the proxy in front of slow processes', () => {
  it('takes them out but still forwards replies to running requests', async () => {
    let isSlow = false;
    const held: ServerResponse[] = [];
    const server = createServer(({ url = '' }, reply) => {
      if (url === '/held') held.push(reply);
      else if (!isSlow) reply.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const ask = await startProxy([(server.address() as AddressInfo).port]);
    await expect.poll(async () => (await ask('/')).status).toBe(200); // once its health check has succeeded
    const answers = [ask('/held', { method: 'POST' }), ask('/held')];
    await expect.poll(() => held.length).toBe(2);
    isSlow = true;
    await expect
      .poll(
        async () =>
          (await ask('/', { method: 'POST', signal: AbortSignal.timeout(1_000) }).catch(() => undefined))?.status,
      )
      .toBe(503);
    for (const reply of held) reply.end();
    for (const answer of answers) expect((await answer).status).toBe(200);
  });
});

describe.skipIf(!programs)('the proxy in front of two versions', () => {
  it('finds a page’s file at the process that has it, and retries nothing else', async () => {
    const asked: string[] = [];
    const files = ['/launch/assets/earlier-1.js', '/launch/assets/later-2.js', '/launch/assets/later-2.js'];
    const servicePorts: number[] = [];
    for (const file of files) {
      const server = createServer(({ url = '' }, reply) => {
        if (url !== '/ready') asked.push(url);
        reply.writeHead(url === '/ready' || url === file ? 200 : 404).end();
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      onTestFinished(() => void server.closeAllConnections());
      onTestFinished(() => void server.close());
      servicePorts.push((server.address() as AddressInfo).port);
    }
    const ask = await startProxy(servicePorts);
    const statusOf = async (path: string) => (await ask(path)).status;
    await expect.poll(() => statusOf(files[1]!)).toBe(200); // once their health checks have succeeded
    for (let nth = 0; nth < 12; nth += 1)
      expect([await statusOf(files[0]!), await statusOf(files[1]!)]).toEqual([200, 200]);
    expect(await statusOf('/launch/assets/nobodys-3.js')).toBe(404);
    asked.length = 0;
    expect([await statusOf('/strings/nobodys'), asked]).toEqual([404, ['/strings/nobodys']]);
    asked.length = 0;
    const posted = await ask('/launch/assets/later-3.js', { method: 'POST' });
    expect([posted.status, asked]).toEqual([404, ['/launch/assets/later-3.js']]);
    expect([await statusOf('/metrics'), await statusOf('/metrics/'), await statusOf('/%6detrics')]).toEqual([
      403, 403, 403,
    ]);
  });
});

async function startProxy(servicePorts: number[]): Promise<(path: string, request?: RequestInit) => Promise<Response>> {
  const folder = mkdtempSync(join(tmpdir(), 'limen-proxy-'));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  const proxy = createHaproxy({ binary: programs!.haproxy, folder, port, servicePorts });
  await proxy.start();
  onTestFinished(() => proxy.end('SIGTERM'));
  return (path, request) => fetch(`http://127.0.0.1:${port}${path}`, request);
}
