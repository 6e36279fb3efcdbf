// What a service for others should have, by its settings and by what is on record.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../config.ts';
import { prepareDatabase, runLimenHere } from '../../testing/run-limen.ts';
import { judgeSettings } from './deployment.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const GOOD = {
  NODE_ENV: 'production',
  HOST: '0.0.0.0',
  MASTER_KEY: KEY,
  DATABASE_URL: 'postgres://limen@db/limen',
  KEYHOLDER_URL: 'tls://keys:8443',
  KEYHOLDER_SECRET: KEY,
  DATASET_SYNC_HOURS: '24',
  PUBLIC_URL: 'https://id.example.org',
  METRICS_TOKEN: 'a-token-of-thirty-two-characters',
};
const levels = (environment: Record<string, string>) =>
  judgeSettings(loadConfig(environment)).map(({ level }) => level);

it('has nothing to say about a service that has everything', () => {
  expect(new Set(levels(GOOD))).toEqual(new Set(['ok']));
});

it.each(['DATABASE_URL', 'DATASET_SYNC_HOURS', 'PUBLIC_URL', 'METRICS_TOKEN', 'KEYHOLDER_URL'] as const)(
  'misses %s',
  (name) => {
    const { [name]: _, ...rest } = GOOD;
    expect(levels(rest).filter((level) => level === 'warning')).toHaveLength(1);
  },
);

it('misses the production mode, and with it a master key that is apart', () => {
  const { NODE_ENV: _, MASTER_KEY: __, ...rest } = GOOD;
  expect(levels(rest).filter((level) => level === 'warning')).toHaveLength(2);
});

it('knows of backups that were taken, and is heard only by who asks', async () => {
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
