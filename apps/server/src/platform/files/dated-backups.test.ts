// Rules for which backup folders are removed.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fillBackupFolder } from './backup-folder.ts';
import { type BackupKind, nameDatedFolder, removeAbandoned, removeOldest, takeDatedBackup } from './dated-backups.ts';

const KIND: BackupKind = {
  prefix: 'limen-backup-',
  manifest: 'backup.json',
  isBackupFile: (name) => name === 'backup.json' || name === 'rows',
};
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 10, 17, 2, 17, 5);

function makeParent(): string {
  const folder = mkdtempSync(join(tmpdir(), 'limen-dated-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function put(folder: string, ...names: string[]): string {
  mkdirSync(folder);
  for (const name of names) writeFileSync(join(folder, name), 'text');
  return folder;
}

/** Takes a backup a number of days later and returns its name and the messages. */
async function back({ parent, days = 0, keep = 2, write = async () => {}, isOwn = () => true }: BackOptions) {
  const said: string[] = [];
  const say = (sentence: string) => void said.push(sentence);
  const folder = nameDatedFolder(parent, KIND, NOW + days * DAY_MS);
  await takeDatedBackup(folder, KIND, say, () =>
    fillBackupFolder(folder, async () => {
      await write();
      for (const name of ['rows', 'backup.json']) writeFileSync(join(folder, name), 'text');
    }),
  );
  removeOldest(folder, KIND, { keep, isOwn, say });
  return { name: basename(folder), said };
}

interface BackOptions {
  parent: string;
  days?: number;
  keep?: number;
  write?: () => Promise<void>;
  isOwn?: (folder: string) => boolean;
}

it('keeps the newest backups, and reports what it removed', async () => {
  const parent = makeParent();
  const first = await back({ parent });
  expect(first).toEqual({ name: 'limen-backup-2026-11-17T02-17-05Z', said: [] });
  const second = await back({ parent, days: 1 });
  const third = await back({ parent, days: 2 });
  expect(third.said).toEqual([`Removed ${join(parent, first.name)}: older than the 2 that are kept.`]);
  expect(readdirSync(parent)).toEqual([second.name, third.name]);
});

it('removes only its own folder if a backup fails', async () => {
  const parent = makeParent();
  const { name } = await back({ parent, keep: 1 });
  const write = () => Promise.reject(new Error('the network is gone'));
  await expect(back({ parent, days: 1, keep: 1, write })).rejects.toThrow('the network is gone');
  expect(readdirSync(parent)).toEqual([name]);
});

it('removes what a killed backup left, but not a backup in progress', async () => {
  const parent = makeParent();
  const killed = put(nameDatedFolder(parent, KIND, NOW - DAY_MS), '.unfinished', 'rows');
  const withoutManifest = put(nameDatedFolder(parent, KIND, NOW - 2 * DAY_MS), 'rows');
  const beforeItsEnd = put(nameDatedFolder(parent, KIND, NOW - 3 * DAY_MS), '.unfinished', 'rows', 'backup.json');
  const { name } = await back({ parent, keep: 1 });
  expect(readdirSync(parent)).toHaveLength(4);

  const said: string[] = [];
  removeAbandoned(join(parent, name), KIND, (sentence) => void said.push(sentence), Date.now() + 2 * HOUR_MS);
  const removed = [beforeItsEnd, withoutManifest, killed];
  expect(said).toEqual(removed.map((folder) => `Removed ${folder}: an unfinished backup.`));
  expect(readdirSync(parent)).toEqual([name]);
});

it('leaves folders alone that are not its own backups, whatever their names', async () => {
  const parent = makeParent();
  const elsewhere = makeParent();
  writeFileSync(join(elsewhere, 'backup.json'), 'text');
  const at = (days: number) => nameDatedFolder(parent, KIND, NOW - days * DAY_MS);
  const withNotes = put(at(1), 'backup.json', 'rows', 'notes.txt');
  const withFolder = put(at(2), 'backup.json');
  mkdirSync(join(withFolder, 'rows'));
  symlinkSync(elsewhere, at(3));
  writeFileSync(at(4), 'text');
  const ofAnother = put(at(5), 'backup.json', 'rows');
  put(join(parent, 'limen-backup-2020'), 'backup.json');
  put(join(parent, 'limen-backup-2020-01-01T00-00-00Z.old'), 'backup.json');
  put(join(parent, '2020-01-01'), 'backup.json');
  const before = readdirSync(parent);

  const { name, said } = await back({ parent, keep: 1, isOwn: (folder) => folder !== ofAnother });
  removeAbandoned(join(parent, name), KIND, () => {}, Date.now() + 2 * HOUR_MS);
  expect(readdirSync(parent)).toEqual([...before, name].sort());
  expect(readdirSync(elsewhere)).toEqual(['backup.json']);
  const left = [ofAnother, at(4), at(3), withFolder, withNotes];
  expect(said).toEqual(
    left.map((path) => `Left ${path} alone: it has other files in it, or is a backup of something else.`),
  );
});

it('keeps both of two concurrent backups, and refuses a second one in the same second', async () => {
  const parent = makeParent();
  const later = { name: '' };
  const first = await back({
    parent,
    keep: 1,
    async write() {
      await expect(back({ parent })).rejects.toThrow('is not empty');
      Object.assign(later, await back({ parent, days: 1, keep: 1 }));
    },
  });
  expect(readdirSync(parent)).toEqual([first.name, later.name]);
});

it('keeps backups that a wrong clock dated too early or too late', async () => {
  const parent = makeParent();
  const ahead = await back({ parent, days: 30, keep: 1 });
  const { name, said } = await back({ parent, keep: 1 });
  expect(said).toEqual([]);
  expect(readdirSync(parent)).toEqual([name, ahead.name]);
});

it('reports a complete backup even if an older one cannot be removed', async () => {
  const parent = makeParent();
  const older = await back({ parent });
  const isOwn = (folder: string) => {
    mkdirSync(join(folder, 'put there in this moment'));
    return true;
  };
  await expect(back({ parent, days: 1, keep: 1, isOwn })).rejects.toThrow(
    `The new backup is complete, but older ones could not be removed: ${join(parent, older.name)} (ERR_FS_EISDIR).`,
  );
  expect(existsSync(join(nameDatedFolder(parent, KIND, NOW + DAY_MS), 'backup.json'))).toBe(true);
});
