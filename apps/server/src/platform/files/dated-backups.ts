// Backups in dated folders below one folder, of which the newest are kept. Removes what is recognizably a backup, and nothing else.
import { type Dirent, lstatSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { StartError } from '../base/errors.ts';
import { CLAIM, makeBackupFolder } from './backup-folder.ts';
import { isMissing } from './durable.ts';

export interface BackupKind {
  /** Start of a folder's name; its date follows. */
  prefix: string;
  /** File that is written last: a folder without it has no whole backup. */
  manifest: string;
  /** Whether a backup, or the rest of an interrupted one, has files of this name. */
  isBackupFile(name: string): boolean;
}

/** A backup that has written nothing for so long has been killed. */
const ABANDONED_MS = 3_600_000;

const DATE = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;

/** The folder of a backup that begins now. Names sort by date. */
export function nameDatedFolder(parent: string, { prefix }: BackupKind, now: number): string {
  return join(parent, `${prefix}${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')}Z`);
}

/**
 * Runs `take` after it has removed what killed backups left next to the folder: that may be the room that this one needs. A backup that
 * fails removes its own folder and no other.
 */
export async function takeDatedBackup<T>(
  folder: string,
  kind: BackupKind,
  say: (sentence: string) => void,
  take: () => Promise<T>,
): Promise<T> {
  makeBackupFolder(folder);
  removeAbandoned(folder, kind, say);
  try {
    return await take();
  } catch (error) {
    removeIfEmpty(folder);
    throw error;
  }
}

/**
 * Removes what killed backups left next to this folder. A backup that another process is taking has just written. `now` is by the clock
 * that dates files there, which may be another machine's.
 */
export function removeAbandoned(
  folder: string,
  kind: BackupKind,
  say: (sentence: string) => void,
  now = statSync(folder).ctimeMs,
): void {
  for (const path of listNextTo(folder, kind)) {
    const found = examine(path, kind);
    if (found?.state !== 'unfinished' || now - found.changedAt < ABANDONED_MS) continue;
    try {
      remove(path, kind);
      say(`Removed ${path}: a backup that did not finish.`);
    } catch (error) {
      say(`Could not remove ${path}, a backup that did not finish (${codeOf(error)}). Remove it by hand.`);
    }
  }
}

/**
 * Removes whole backups that are older than this one, but for the newest of them. Folders that are newer by name stay: another process may
 * have just taken one, or a clock was ahead. Throws after everything else is done if one cannot be removed.
 */
export function removeOldest(
  folder: string,
  kind: BackupKind,
  { keep, isOwn, say }: { keep: number; isOwn: (folder: string) => boolean; say: (sentence: string) => void },
): void {
  const older = listNextTo(folder, kind).filter((path) => path < folder);
  const whole = older.filter((path) => {
    const state = examine(path, kind)?.state;
    if (state !== 'foreign' && !(state === 'whole' && !isOwn(path))) return state === 'whole';
    say(`Left ${path} alone: it has other files in it, or is a backup of something else.`);
    return false;
  });
  const failures: string[] = [];
  for (const path of whole.slice(0, Math.max(0, whole.length - (keep - 1)))) {
    try {
      remove(path, kind);
      say(`Removed ${path}: older than the ${keep} that are kept.`);
    } catch (error) {
      failures.push(`${path} (${codeOf(error)})`);
    }
  }
  if (failures.length === 0) return;
  throw new StartError(
    `The new backup is whole, but older ones could not be removed: ${failures.join(', ')}. Remove them by hand, or give them to the user that takes backups.`,
  );
}

/** By date, without the folder itself. */
function listNextTo(folder: string, { prefix }: BackupKind): string[] {
  const parent = dirname(folder);
  const isDated = (name: string) => name.startsWith(prefix) && DATE.test(name.slice(prefix.length));
  const names = readdirSync(parent).filter((name) => isDated(name) && name !== basename(folder));
  return names.sort().map((name) => join(parent, name));
}

interface Found {
  state: 'whole' | 'unfinished' | 'foreign';
  /** By the change time, which copies do not preserve: files that are just being copied here are new. */
  changedAt: number;
}

/** Undefined where it is gone, as when another process has just removed it. A folder that cannot be read is foreign. */
function examine(path: string, { manifest, isBackupFile }: BackupKind): Found | undefined {
  try {
    const own = lstatSync(path);
    if (!own.isDirectory()) return { state: 'foreign', changedAt: own.ctimeMs };
    const entries = readdirSync(path, { withFileTypes: true });
    const changedAt = Math.max(own.ctimeMs, ...entries.map(({ name }) => lstatSync(join(path, name)).ctimeMs));
    const isKnown = (entry: Dirent) => entry.isFile() && (entry.name === CLAIM || isBackupFile(entry.name));
    if (!entries.every(isKnown)) return { state: 'foreign', changedAt };
    const names = entries.map(({ name }) => name);
    return { state: names.includes(manifest) && !names.includes(CLAIM) ? 'whole' : 'unfinished', changedAt };
  } catch (error) {
    return isMissing(error) ? undefined : { state: 'foreign', changedAt: 0 };
  }
}

/** The manifest first: an interrupted removal leaves nothing that looks like a whole backup. */
function remove(path: string, { manifest }: BackupKind): void {
  try {
    rmSync(join(path, manifest), { force: true });
    for (const name of readdirSync(path)) rmSync(join(path, name), { force: true });
    rmdirSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error; // another process removes it as well
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something is in it, or it is gone.
  }
}
