// Point-in-time recovery with the shipped pgBackRest file: people deleted by mistake are restored,
// including those enrolled after the last backup.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createServer,
  createServerFolder,
  findPostgres,
  freePort,
  initialize,
  unprivileged,
} from '@limen/testing/postgres-cluster.ts';
import { expect, it, onTestFinished, vi } from 'vitest';
import { makeFace } from '../apps/server/testing/faces.ts';
import { startServer } from '../apps/server/testing/processes/server-process.ts';
import { findPgBackRest } from '../scripts/system-packages.ts';
import { askPostgres } from '../testing/cluster/ask-postgres.ts';
import { replaceAll, writeReadable } from '../testing/cluster/proxies.ts';

const binaries = findPostgres();
const pgbackrest = findPgBackRest();
/** The node's reply in place of an id. */
const NOBODY = '-1';
const API_KEY = 'limen-point-in-time-key';

/** PostgreSQL with continuous WAL archiving to pgBackRest. */
async function startArchivedPostgres() {
  const folder = createServerFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [data, config, repository] = [
    join(folder, 'data'),
    join(folder, 'pgbackrest.conf'),
    join(folder, 'repository'),
  ];
  const identity = unprivileged();
  mkdirSync(repository);
  if (identity) chownSync(repository, identity.uid, identity.gid);
  const port = await freePort();
  writeReadable(
    config,
    replaceAll(readFileSync(join(import.meta.dirname, '../deploy/cluster/pgbackrest.conf'), 'utf8'), [
      [/^repo1-path=.*$/m, `repo1-path=${repository}`],
      [/^log-path=.*$/m, `log-path=${folder}`],
      [/^lock-path=.*$/m, `lock-path=${folder}`],
      [/^pg1-path=.*$/m, `pg1-path=${data}`],
      [/^pg1-port=.*$/m, `pg1-port=${port}`],
      [/^pg1-socket-path=.*$/m, `pg1-socket-path=${folder}\npg1-user=limen\npg1-database=postgres`],
    ]),
  );
  // Also for commands run by the server.
  vi.stubEnv('PGBACKREST_REPO1_CIPHER_PASS', randomBytes(32).toString('base64'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const given = [`--config=${config}`, '--stanza=limen'];
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(pgbackrest!, [...given, ...args], {
      ...{ ...identity, cwd: folder, encoding: 'utf8' },
    });
    expect(status, `${stdout}${stderr}`).toBe(0);
  };
  initialize(binaries!, data);
  const archive = `${pgbackrest} ${given.join(' ')} archive-push %p`;
  const settings = { wal_level: 'replica', archive_mode: 'on', archive_command: archive, full_page_writes: 'on' };
  const server = createServer(binaries!, data, port, settings);
  onTestFinished(() => server.end('SIGQUIT'));
  await server.start();
  return { server, data, run };
}

it.skipIf(!binaries || !pgbackrest)('restores deleted people as of a moment between two backups', async () => {
  const { server, data, run } = await startArchivedPostgres();
  await askPostgres(server.url, 'create database limen');
  const url = server.url.replace(/\/postgres$/, '/limen');
  const ask = async (statement: string) => (await askPostgres<{ it: string }>(url, statement))[0]!.it;
  run('stanza-create');

  const dataDir = mkdtempSync(join(tmpdir(), 'limen-test-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const environment = {
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    DEV_API_KEY: API_KEY,
    SERVE: 'core,node',
    NODE_ENV: 'test',
  };
  const start = async () => {
    const service = await startServer(environment);
    const call = async (operation: string, body: object) => {
      const headers = { 'content-type': 'application/json', 'x-api-key': API_KEY };
      const reply = await fetch(`${service.address}/node/${operation}`, {
        ...{ method: 'POST', headers, body: JSON.stringify(body) },
      });
      return (await reply.json()) as { puid?: string; message?: string };
    };
    const withFace = (face: number) => ({ features: { embedding_vector: [...makeFace(face)] } });
    return {
      stop: () => service.stop('SIGTERM'),
      enrol: async (face: number) => (await call('plainEnroll', withFace(face))).puid,
      find: async (face: number) => (await call('plainPredict', withFace(face))).puid,
      delete: async (puid: string) => (await call('deleteUser', { puid })).message,
    };
  };
  const service = await start();
  const puids = [await service.enrol(1), await service.enrol(2)];
  run('backup', '--type=full');
  puids.push(await service.enrol(3));
  expect(new Set(puids).size).toBe(3);
  const moment = await ask('select clock_timestamp()::text as it');

  for (const puid of puids) expect(await service.delete(puid!)).toBe('delete successful');
  expect(await service.find(3)).toBe(NOBODY);
  const segment = await ask('select pg_walfile_name(pg_switch_wal()) as it');
  await expect
    .poll(() => ask(`select (last_archived_wal >= '${segment}')::text as it from pg_stat_archiver`))
    .toBe('true');
  await service.stop();
  // The machine is lost, with everything that is not archived.
  await server.end('SIGKILL');
  rmSync(data, { recursive: true });
  mkdirSync(data, { mode: 0o700 });
  const identity = unprivileged();
  if (identity) chownSync(data, identity.uid, identity.gid);

  run('restore', '--type=time', `--target=${moment}`, '--target-action=promote');
  await server.restart();
  await expect.poll(() => ask('select pg_is_in_recovery()::text as it')).toBe('false');
  const restored = await start();
  expect([await restored.find(1), await restored.find(2), await restored.find(3)]).toEqual(puids);
  expect(await restored.enrol(4)).toBeDefined();
  await restored.stop();
});
