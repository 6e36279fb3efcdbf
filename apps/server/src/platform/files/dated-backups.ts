// Keeps the newest backups in dated folders below one folder. Removes only folders that are recognizably backups.
import { type Dirent, lstatSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { StartError } from '../base/errors.ts';
import { CLAIM, makeBackupFolder } from './backup-folder.ts';
import { isMissing } from './durable.ts';

export interface BackupKind {
  prefix: string;
  /** File that is written last. A folder without it holds no whole backup. */
  manifest: string;
  isBackupFile(name: string): boolean;
}

type PrintLine = (sentence: string) => void;

/** Time without a write after which a backup counts as killed. */
const ABANDONED_MS = 3_600_000;
const DATE = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;

/** Returns the folder of a backup that begins now. Names sort by date. */
export function nameDatedFolder(parent: string, { prefix }: BackupKind, now: number): string {
  return join(parent, `${prefix}${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')}Z`);
}

/** Removes killed backups, whose room this one may need, and runs `take`. A failed backup removes only its own folder. */
export async function takeDatedBackup<T>(
  folder: string,
  kind: BackupKind,
  say: PrintLine,
  take: () => Promise<T>,
): Promise<T> {
  makeBackupFolder(folder);
  removeAbandoned(folder, kind, say);
  try {
    return await take();
  } catch (error) {
    try {
      rmdirSync(folder);
    } catch {}
    throw error;
  }
}

/** `now` is by the clock that dates files there, which may be another machine's. */
export function removeAbandoned(
  folder: string,
  kind: BackupKind,
  say: PrintLine,
  now = statSync(folder).ctimeMs,
): void {
  for (const path of listSiblings(folder, kind)) {
    const backup = examine(path, kind);
    if (backup?.state !== 'unfinished' || now - backup.changedAt < ABANDONED_MS) continue;
    const failure = remove(path, kind);
    if (failure === undefined) say(`Removed ${path}: an unfinished backup.`);
    else say(`Could not remove ${path}, an unfinished backup (${failure}). Remove it by hand.`);
  }
}

/** Removes older whole backups but the newest. Newer names stay: another process may have taken one, or a clock was fast. */
export function removeOldest(
  folder: string,
  kind: BackupKind,
  { keep, isOwn, say }: { keep: number; isOwn: (folder: string) => boolean; say: PrintLine },
): void {
  const older = listSiblings(folder, kind).filter((path) => path < folder);
  const whole = older.filter((path) => {
    const state = examine(path, kind)?.state;
    if (state === 'whole' && isOwn(path)) return true;
    if (state === 'whole' || state === 'foreign')
      say(`Left ${path} alone: it has other files in it, or is a backup of something else.`);
    return false;
  });
  const failures: string[] = [];
  for (const path of whole.slice(0, Math.max(0, whole.length - (keep - 1)))) {
    const failure = remove(path, kind);
    if (failure === undefined) say(`Removed ${path}: older than the ${keep} that are kept.`);
    else failures.push(`${path} (${failure})`);
  }
  if (failures.length === 0) return;
  throw new StartError(
    `The new backup is complete, but older ones could not be removed: ${failures.join(', ')}. Remove them by hand, or give them to the user that takes backups.`,
  );
}

function listSiblings(folder: string, { prefix }: BackupKind): string[] {
  const parent = dirname(folder);
  const isDated = (name: string) => name.startsWith(prefix) && DATE.test(name.slice(prefix.length));
  const names = readdirSync(parent).filter((name) => isDated(name) && name !== basename(folder));
  return names.sort().map((name) => join(parent, name));
}

/** Returns undefined if the folder is gone. `changedAt` uses change times, which copies do not preserve, so new copies count as new. */
function examine(path: string, { manifest, isBackupFile }: BackupKind) {
  try {
    const own = lstatSync(path);
    if (!own.isDirectory()) return { state: 'foreign' as const, changedAt: own.ctimeMs };
    const entries = readdirSync(path, { withFileTypes: true });
    const changedAt = Math.max(own.ctimeMs, ...entries.map(({ name }) => lstatSync(join(path, name)).ctimeMs));
    const isKnown = (entry: Dirent) => entry.isFile() && (entry.name === CLAIM || isBackupFile(entry.name));
    if (!entries.every(isKnown)) return { state: 'foreign' as const, changedAt };
    const names = entries.map(({ name }) => name);
    const isWhole = names.includes(manifest) && !names.includes(CLAIM);
    return { state: isWhole ? ('whole' as const) : ('unfinished' as const), changedAt };
  } catch (error) {
    return isMissing(error) ? undefined : { state: 'foreign' as const, changedAt: 0 };
  }
}

/** Removes the manifest first, so that an interrupted removal leaves nothing that looks whole. Returns the error code of a failure. */
function remove(path: string, { manifest }: BackupKind): string | undefined {
  try {
    rmSync(join(path, manifest), { force: true });
    for (const name of readdirSync(path)) rmSync(join(path, name), { force: true });
    rmdirSync(path);
  } catch (error) {
    if (!isMissing(error)) return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
  return undefined;
}
