// One writer per dataset, across processes: the command line and a server may refresh at the same moment.
import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { isMissing, namesIn, removeFiles } from '../../../platform/files/durable.ts';
import { makeInnerFolder } from '../../../platform/files/folder.ts';
import { giveToOwnerOf } from '../../../platform/files/owner.ts';
import { DatasetBusy, DatasetError } from './names.ts';

/** The holder touches its lock this often … */
const BEAT_MS = 10_000;
/** … and one that was not touched for so long belongs to nobody: a machine that lost power, a container that is gone. */
const STALE_MS = 60_000;
/** Where the holder's process is still there it may only be asleep; but process ids are used again. */
const ASLEEP_MS = 600_000;

interface Holder {
  token: string;
  pid: number;
  host: string;
}

/** Locks of this process. The same process id without an entry here is that of an earlier life (pid 1 in a container). */
const heldHere = new Set<string>();

/**
 * Runs `work` as the only writer of this dataset, with a folder for its temporary files. Their names begin with the
 * dataset's and tell the holder, and they are gone afterwards, including those that a killed process left behind.
 *
 * A process that slept too long may have lost the lock to another. It shares no file with that one, and calls
 * `requireLock` before it changes what is served.
 */
export async function withDatasetLock<T>(
  datasets: string,
  name: string,
  work: (temporary: (label: string) => string, requireLock: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const folder = join(datasets, '.incoming');
  makeInnerFolder(folder);
  const path = join(folder, `${name}.lock`);
  const token = await acquire(path, name);
  const beat = setInterval(() => void touch(path), BEAT_MS).unref();
  const mine = `${name}.${token}`;
  const requireLock = async () => {
    if ((await holderOf(path))?.token === token) return;
    throw new DatasetError(`Another process took over the loading of ${name}; this one gives up.`);
  };
  try {
    await removeFiles(folder, (file) => isTemporaryOf(name, file));
    await removeAbandoned(folder);
    return await work((label) => join(folder, `${mine}.${label}.part`), requireLock);
  } finally {
    clearInterval(beat);
    await removeFiles(folder, (file) => isTemporaryOf(mine, file));
    heldHere.delete(token);
    await release(path, token);
  }
}

/** What a killed process left of a list that nobody loads again: megabytes that would stay for ever. */
async function removeAbandoned(folder: string): Promise<void> {
  const names = new Set((await namesIn(folder)).flatMap((file) => /^([a-z0-9_]+)\..*\.part$/.exec(file)?.[1] ?? []));
  for (const name of names) {
    // Its lock was there before its first file, so whoever is at work is seen here.
    if (await isLeft(join(folder, `${name}.lock`))) await removeFiles(folder, (file) => isTemporaryOf(name, file));
  }
}

function isTemporaryOf(name: string, file: string): boolean {
  return file.startsWith(`${name}.`) && file.endsWith('.part');
}

async function isLeft(path: string): Promise<boolean> {
  try {
    return isStale(await readFile(path, 'utf8'), (await stat(path)).mtimeMs);
  } catch (error) {
    return isMissing(error);
  }
}

async function acquire(path: string, name: string): Promise<string> {
  const holder: Holder = { token: randomUUID(), pid: process.pid, host: hostname() };
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      heldHere.add(holder.token);
      await writeLock(path, JSON.stringify(holder));
      return holder.token;
    } catch (error) {
      heldHere.delete(holder.token);
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        await rm(path, { force: true }); // a full disk leaves an empty lock that nobody could read
        throw error;
      }
      if (!(await removeStale(path))) break;
    }
  }
  throw new DatasetBusy(`Another process is writing ${name} at this moment; try again when it is done.`);
}

async function writeLock(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    giveToOwnerOf(dirname(path), file.fd);
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

/** Leaves a lock alone that someone else took after this process had slept for too long. */
async function release(path: string, token: string): Promise<void> {
  if ((await holderOf(path))?.token === token) await rm(path, { force: true });
}

async function holderOf(path: string): Promise<Holder | undefined> {
  return parseHolder(await readFile(path, 'utf8').catch(() => ''));
}

/** True when the way is free again. */
async function removeStale(path: string): Promise<boolean> {
  try {
    const seen = await readFile(path, 'utf8');
    if (!isStale(seen, (await stat(path)).mtimeMs)) return false;
    // Two may find the same stale lock: the slower one must not carry off the new lock of the faster.
    const aside = `${path}.${randomUUID()}`;
    await rename(path, aside);
    const mine = (await readFile(aside, 'utf8')) === seen;
    if (!mine) await link(aside, path).catch(() => {});
    await rm(aside, { force: true });
    return mine;
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
}

function isStale(text: string, touchedMs: number): boolean {
  // The file system's clock against ours: both are of this machine, or of a mount that is as good as one.
  const untouchedMs = Date.now() - touchedMs;
  const holder = parseHolder(text);
  // Of another machine, or half written by a process that is just taking it.
  if (!holder || holder.host !== hostname()) return untouchedMs > STALE_MS;
  const isHeld = holder.pid === process.pid ? heldHere.has(holder.token) : isAlive(holder.pid);
  return !isHeld || untouchedMs > ASLEEP_MS;
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { token, pid, host } = JSON.parse(text) as Partial<Holder>;
    return token !== undefined && Number.isInteger(pid) && host !== undefined ? { token, pid: pid!, host } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // it lives and belongs to someone else
  }
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => {});
}
