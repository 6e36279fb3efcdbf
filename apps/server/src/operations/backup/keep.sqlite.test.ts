// `limen backup --keep`, as a timer runs it.
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openLocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { prepareDatabase, runLimenHere } from '#testing/run-limen.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'limen-keep-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Changes the date of the only backup in the folder. */
function redate(folder: string, date: string): string {
  const [name] = readdirSync(folder);
  const older = join(folder, name!.replace(/\d{4}-\d\d-\d\d(?=T)/, date));
  renameSync(join(folder, name!), older);
  return older;
}

it('removes older backups of this database, but none of another database', async () => {
  const folder = makeFolder();
  const [own, another] = [await prepareDatabase(), await prepareDatabase()];
  const limen = (place: typeof own, ...args: string[]) => runLimenHere(args, { environment: place.environment });
  for (const place of [own, another]) expect((await limen(place, 'keys', 'create')).code).toBe(0);
  expect(await limen(own, 'backup', folder, '--keep', '0')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('It must be at least 1.'),
  });

  const elsewhere = makeFolder();
  expect((await limen(another, 'backup', elsewhere, '--keep', '1')).code).toBe(0);
  const foreign = redate(elsewhere, '2020-01-01');
  expect((await limen(own, 'backup', folder, '--keep', '1')).code).toBe(0);
  const older = redate(folder, '2020-01-02');
  const copy = foreign.replace(elsewhere, folder);
  cpSync(foreign, copy, { recursive: true });

  const { code, stdout } = await limen(own, 'backup', folder, '--keep', '1');
  expect(code, stdout).toBe(0);
  expect(stdout).toContain(`Removed ${older}: older than the 1 that are kept.`);
  expect(stdout).toContain(`Left ${copy} alone`);
  const [kept, newest] = readdirSync(folder).sort();
  expect(join(folder, kept!)).toBe(copy);
  expect(await limen(own, 'restore', '--check', join(folder, newest!))).toMatchObject({ code: 0 });
});

it('removes older backups of a key-holder, and conflicts with --next-key-stdin', async () => {
  const [of, folder] = [makeFolder(), makeFolder()];
  const holder = await openLocalKeyHolder({ folder: of });
  onTestFinished(() => holder.close());
  const limen = (...args: string[]) => runLimenHere(['keyholder', 'backup', folder, '--keep', '1', ...args]);
  expect((await limen('--of', of)).code).toBe(0);
  const older = redate(folder, '2020-01-01');
  expect((await limen('--of', of)).stdout).toContain(`Removed ${older}`);
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^limen-keyholder-backup-/)]);
  expect(await limen('--next-key-stdin')).toMatchObject({ code: 2, stderr: expect.stringContaining('--keep') });
});
