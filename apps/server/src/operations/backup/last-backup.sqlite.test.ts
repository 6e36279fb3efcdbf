// The record of a successful `limen backup`, which metrics and the doctor read on any machine.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createManualClock } from '#testing/manual-clock.ts';
import { prepareDatabase, runLimenHere } from '#testing/run-limen.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { createMetrics } from '../../platform/watch/metrics.ts';
import { addBackupMetrics, findLastBackup } from './last.ts';

it('is the age of the last complete backup; failures do not count, and a restored database has none', async () => {
  const place = await prepareDatabase();
  const { environment } = place;
  await runLimenHere(['keys', 'create'], { environment });
  const clock = createManualClock(Date.now());
  const database = openDatabase(place);
  onTestFinished(() => database.close());
  const metrics = createMetrics(false);
  addBackupMetrics(metrics, database, clock);
  const metric = async () => {
    const [, age] = /^limen_backup_age_seconds (\S+)$/m.exec(await metrics.text()) ?? [];
    return age === undefined ? undefined : clock.now() - Number(age) * 1_000;
  };
  const folder = mkdtempSync(join(tmpdir(), 'limen-backups-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const backUp = async (name: string) => (await runLimenHere(['backup', join(folder, name)], { environment })).code;
  expect(await metric()).toBeUndefined();

  expect(await backUp('.')).toBe(0);
  clock.advance(3_600_000);
  const taken = await metric();
  rmSync(join(folder, 'backup.json'));
  expect(await backUp('.')).toBe(1); // The folder is not empty anymore.
  expect(await metric()).toBe(taken);
  expect(await backUp('second')).toBe(0);
  const second = await metric();
  expect(second).toBeGreaterThan(taken!);

  const other = await prepareDatabase();
  copyFileSync(join(place.dataDir, 'master.key'), join(other.dataDir, 'master.key'));
  const restored = await runLimenHere(['restore', join(folder, 'second')], { environment: other.environment });
  expect(restored).toMatchObject({ code: 0 });
  const copy = openDatabase(other);
  onTestFinished(() => copy.close());
  expect(await findLastBackup(copy.queries, clock.now())).toEqual({ at: taken, isWhole: true });
  // Taken by a clock that was ahead, so it lies in the future.
  expect(await findLastBackup(database.queries, second! - 1)).toEqual({ at: taken, isWhole: true });
});

it('counts from the first attempt if no backup was ever completed', async () => {
  const place = await prepareDatabase();
  const { environment, dataDir } = place;
  await runLimenHere(['keys', 'create'], { environment });
  expect(await runLimenHere(['backup', dataDir], { environment })).toMatchObject({ code: 1 });
  const database = openDatabase(place);
  onTestFinished(() => database.close());
  const first = await findLastBackup(database.queries, Date.now());
  expect(first).toMatchObject({ isWhole: false });
  expect(await runLimenHere(['backup', dataDir], { environment })).toMatchObject({ code: 1 });
  expect(await findLastBackup(database.queries, Date.now())).toEqual(first);
  const { stdout } = await runLimenHere(['doctor', '--deployment'], { environment });
  expect(stdout).toContain('no recorded backup was ever completed');
});
