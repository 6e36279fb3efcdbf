// Recommendations for a production service, by its settings and its database.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { prepareDatabase, runLimenHere } from '#testing/run-limen.ts';
import { loadConfig } from '../../../config.ts';
import { judgeMemory, judgeSettings } from './deployment.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const GOOD = {
  NODE_ENV: 'production',
  HOST: '0.0.0.0',
  MASTER_KEY: KEY,
  DATABASE_URL: 'postgres://limen@db/limen?sslmode=verify-full',
  KEYHOLDER_URL: 'tls://keys:8443',
  KEYHOLDER_SECRET: KEY,
  DATASET_SYNC_HOURS: '24',
  PUBLIC_URL: 'https://id.example.org',
  METRICS_TOKEN: 'a-token-of-thirty-two-characters',
  TRUST_PROXY: '10.0.0.0/8',
  RATE_LIMIT: 'key=100:200,address=50',
  TOKEN_MEMORY_MB: '512',
  FACE_MEMORY_MB: '512',
};
const MACHINE = { memoryBytes: 4 * 2 ** 30, hasLists: true };
const judge = (environment: Record<string, string>, machine = MACHINE) =>
  judgeSettings(loadConfig(environment), machine).filter(({ level }) => level !== 'ok');

it('finds nothing to recommend in a complete setup', () => {
  expect(judge(GOOD)).toEqual([]);
});

it.each([
  'DATABASE_URL',
  'DATASET_SYNC_HOURS',
  'PUBLIC_URL',
  'METRICS_TOKEN',
  'KEYHOLDER_URL',
  'RATE_LIMIT',
  'TRUST_PROXY',
  'FACE_MEMORY_MB',
] as const)('recommends %s with a remedy', (name) => {
  const { [name]: _, ...rest } = GOOD;
  expect(judge(rest)).toEqual([expect.objectContaining({ level: 'warning', remedy: expect.stringContaining(name) })]);
});

it('recommends production mode and, with it, a separate master key', () => {
  const { NODE_ENV: _, MASTER_KEY: __, ...rest } = { ...GOOD, REQUIRE_API_KEY: 'strings,sanctions' };
  expect(judge(rest)).toHaveLength(2);
});

it('recommends list refreshes only if there are lists', () => {
  expect(judge({ ...GOOD, DATASET_SYNC_HOURS: '0' }, { ...MACHINE, hasLists: false })).toEqual([]);
});

it.each([
  [{ REQUIRE_API_KEY: 'none' }, 'areas without an API key: strings, sanctions'],
  [{ REQUIRE_API_KEY: 'strings' }, 'areas without an API key: sanctions'],
  // A proxy on the same machine makes them reachable too.
  [{ REQUIRE_API_KEY: 'none', HOST: 'localhost', TRUST_PROXY: '127.0.0.1' }, 'areas without an API key'],
  [{ TRUST_PROXY: 'true' }, 'lets every client'],
  [{ TRUST_PROXY: 'false', TLS_CERT: 'cert.pem', TLS_KEY: 'key.pem' }, 'has port 443 and the service listens on 8080'],
  [{ HOST: 'localhost' }, 'only this machine can reach HOST'],
  [{ HOST: '::1', TRUST_PROXY: 'false' }, 'only this machine can reach HOST'],
  [{ DATABASE_URL: 'postgres://limen@db/limen' }, 'is not encrypted'],
  [{ DATABASE_URL: 'postgres://limen@db/limen?sslmode=require' }, 'can pose as the server'],
  [{ TOKEN_MEMORY_MB: '4096' }, 'the memory is 4.0 GiB'],
])('warns with %j', (more, sentence) => {
  expect(judge({ ...GOOD, ...more })).toEqual([expect.objectContaining({ found: expect.stringContaining(sentence) })]);
});

it.each([
  { HOST: 'localhost', TRUST_PROXY: '127.0.0.1,::1' },
  { HOST: '127.0.0.1', TRUST_PROXY: '127.0.0.0/8' },
  { TRUST_PROXY: 'false', PORT: '443', TLS_CERT: 'cert.pem', TLS_KEY: 'key.pem' },
  { DATABASE_URL: 'postgres://limen@127.0.0.1/limen' },
  { DATABASE_URL: 'postgres://limen@db/limen?sslmode=disable' },
  { REQUIRE_API_KEY: 'none', SERVE: 'node,launch,console' },
])('does not warn with %j', (more) => {
  expect(judge({ ...GOOD, ...more })).toEqual([]);
});

it('adds up the memory of the served parts', () => {
  const most = (more: Record<string, string>) => judgeMemory(loadConfig({ ...GOOD, ...more }), 2 ** 40).found;
  expect(most({})).toContain('may take 1.7 GiB,');
  expect(most({ SERVE: 'node' })).toContain('may take 1002.0 MiB,');
  expect(most({ SERVE: 'launch' })).toContain('may take 1002.0 MiB,');
  expect(most({ VECTOR_STORE: 'pgvector' })).toContain('may take 1.2 GiB,');
});

it('recommends backups by those on record, and only when asked', async () => {
  const { environment } = await prepareDatabase();
  const doctor = async (...more: string[]) => (await runLimenHere(['doctor', ...more], { environment })).stdout;
  await runLimenHere(['keys', 'create'], { environment });
  expect(await doctor()).not.toContain('backup');
  expect(await doctor('--deployment')).toContain('no backup is on record');
  const folder = mkdtempSync(join(tmpdir(), 'limen-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await runLimenHere(['backup', folder], { environment });
  expect(await doctor('--deployment')).toContain('the last backup on record is of the last 24 hours');
});
