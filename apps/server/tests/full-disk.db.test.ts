// A real, small, full disk: new data is refused with an explanation, deletions and redactions still
// work.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InjectOptions } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engine } from '#testing/database/test-database.ts';
import { openLocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { makeFace } from '#testing/faces.ts';
import { runLimenHere } from '#testing/run-limen.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

const RESERVE_MB = 16;
/** Room for data */
const REST_MB = 20;
const MEGABYTE = 2 ** 20;

/** Only root may mount, and not in every container. */
function mountDisk(megabytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'limen-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
}

function unmount(folder: string): void {
  execFileSync('umount', [folder]);
  rmSync(folder, { recursive: true });
}

const probe = engine === 'sqlite' ? mountDisk(1) : undefined;
if (probe) unmount(probe);

async function startOnSmallDisk(reserveMb: number) {
  const dataDir = mountDisk(REST_MB + reserveMb)!;
  const database = { dataDir, url: undefined, environment: { DATA_DIR: dataDir }, dispose: async () => {} };
  onTestFinished(() => unmount(dataDir)); // Runs last, when the service is closed.
  const app = await startTestApp({ database, environment: { DISK_RESERVE_MB: String(reserveMb) } });
  const { apiKey } = await app.apiKeys.create({ kind: 'development', clientCredentials: false });
  const call = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
    app.http.inject({ method, url, headers: { 'x-api-key': apiKey }, ...(payload && { payload }) } as InjectOptions);
  return { app, call, dataDir };
}

type Call = Awaited<ReturnType<typeof startOnSmallDisk>>['call'];

/** Writes until there is no room. Returns the acknowledged ids and the refusal. */
async function fillUp(call: Call): Promise<{ ids: string[]; refusal: Awaited<ReturnType<Call>> }> {
  const ids: string[] = [];
  for (let length = 60_000; ; ) {
    const reply = await call('POST', '/strings', { value: `${ids.length} `.padEnd(length, 'x') });
    if (reply.statusCode === 201) ids.push(reply.json().id);
    else if (length > 10) length = Math.floor(length / 4);
    else return { ids, refusal: reply };
  }
}

async function metric(app: TestApp, name: string): Promise<number> {
  const { body } = await app.http.inject({ url: '/metrics', remoteAddress: '127.0.0.1' });
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1]);
}

/** Shown at the end of `npm test` if nothing could be mounted. PostgreSQL has its own disk. */
const lack = engine === 'sqlite' && !probe ? ' (skipped: no disk may be mounted here; run as root to try it)' : '';

describe.skipIf(!probe)(`a full disk${lack}`, () => {
  it('refuses new data with 507, deletes people, sessions and strings, and then accepts new data', async () => {
    const { app, call, dataDir } = await startOnSmallDisk(RESERVE_MB);
    expect(await metric(app, 'limen_disk_reserve_bytes')).toBe(RESERVE_MB * MEGABYTE);
    expect((await call('GET', '/ready')).json().checks.disk).toMatch(/^ready; only \d+\.\d MiB free, make room$/);
    const { puid } = (
      await call('POST', '/node/plainEnroll', { features: { embedding_vector: [...makeFace(1)] } })
    ).json();
    const { token } = (await call('POST', '/session', { callback: { url: 'http://127.0.0.1:9/' } })).json();

    const { ids, refusal } = await fillUp(call);
    expect(refusal.statusCode).toBe(507);
    expect(refusal.headers['x-error-code']).toBe('disk_full');
    expect(refusal.json().message).toMatch(/^The database’s disk is full: .* Reading and deleting still work\.$/);
    expect(await metric(app, 'limen_disk_free_bytes')).toBeLessThan(MEGABYTE);
    const ready = await call('GET', '/ready');
    expect([ready.statusCode, ready.json().checks.disk]).toEqual([503, expect.stringMatching(/^full: nothing new/)]);
    expect((await call('GET', '/health')).statusCode).toBe(200);

    expect((await call('POST', '/node/deleteUser', { puid })).json()).toMatchObject({ message: 'delete successful' });
    expect((await call('DELETE', `/session/${token}`)).statusCode).toBe(204);
    const [kept, ...gone] = ids as [string, ...string[]];
    for (const id of gone) expect((await call('DELETE', `/strings/${id}`)).statusCode).toBe(204);
    expect((await call('GET', `/strings/${kept}`)).json().value).toMatch(/^0 x+$/);
    expect((await call('GET', '/strings')).json().strings).toHaveLength(1);
    expect(await metric(app, 'limen_disk_reserve_bytes')).toBe(0);

    // Uses the room that the deletions left inside the file.
    expect((await call('POST', '/strings', { value: 'x'.repeat(60_000) })).statusCode).toBe(201);
    execFileSync('mount', ['-o', 'remount,size=200m', dataDir]);
    await expect.poll(async () => (await call('GET', '/ready')).json().checks.disk).toMatch(/^ready; only/);
    await expect.poll(() => metric(app, 'limen_disk_reserve_bytes')).toBe(RESERVE_MB * MEGABYTE);
    expect(app.logged()).toContain('reserve in use');
    await app.close();
  });

  it('deletes nothing without the reserve, which is why there is one', async () => {
    const { call, dataDir } = await startOnSmallDisk(0);
    expect(existsSync(join(dataDir, 'limen.db.reserve'))).toBe(false);
    const { ids } = await fillUp(call);
    const replies = await Promise.all(ids.slice(0, 20).map((id) => call('DELETE', `/strings/${id}`)));
    expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([507]));
  });

  it("of a backup is not reported as the database's, and keeps nothing that did not fit", async () => {
    const { app, dataDir } = await startOnSmallDisk(0);
    const holder = await openLocalKeyHolder();
    onTestFinished(() => holder.close());
    const disk = mountDisk(1)!;
    onTestFinished(() => unmount(disk));
    writeFileSync(join(disk, 'others'), Buffer.alloc(MEGABYTE - 32_768));
    const folder = join(disk, 'new');
    for (const command of [['backup'], ['keyholder', 'backup', '--of', holder.folder]]) {
      const ended = await runLimenHere([...command, folder], { environment: { DATA_DIR: dataDir } });
      expect(ended).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`${folder} is on a full disk`),
      });
      expect(readdirSync(folder)).toEqual([]);
    }
    await app.close();
  });
});
