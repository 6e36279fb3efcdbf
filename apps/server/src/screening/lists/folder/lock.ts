// One writer per dataset, across processes: the command line and a server may refresh at the same time.
import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { isMissing, listFileNames, removeFiles } from '../../../platform/files/durable.ts';
import { makeInnerFolder } from '../../../platform/files/folder.ts';
import { matchOwner } from '../../../platform/files/owner.ts';
import { DatasetBusyError, DatasetError } from './names.ts';

const BEAT_MS = 10_000;
/** A lock of another machine that is untouched for this long is abandoned. */
const STALE_MS = 60_000;
/** A living process of this machine may only sleep, but its id may also have been reused. */
const ASLEEP_MS = 600_000;

interface Holder {
  token: string;
  pid: number;
  host: string;
}

/** Tokens of this process. A lock with its process id and another token is from before a restart (pid 1 in a container). */
const heldHere = new Set<string>();

/**
 * Runs `work` as the only writer of this dataset. Temporary files carry the holder's token, and are removed afterwards.
 * A process that slept too long may have lost the lock, so `work` calls `requireLock` before it changes what is served.
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
  const beat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, BEAT_MS).unref();
  const mine = `${name}.${token}`;
  const requireLock = async () => {
    if ((await readHolder(path))?.token === token) return;
    throw new DatasetError(`Another process took over the loading of ${name}; this process gives up.`);
  };
  try {
    await removeFiles(folder, (file) => isTemporaryFile(name, file));
    await removeAbandoned(folder);
    return await work((label) => join(folder, `${mine}.${label}.part`), requireLock);
  } finally {
    clearInterval(beat);
    await removeFiles(folder, (file) => isTemporaryFile(mine, file));
    heldHere.delete(token);
    // The lock may belong to another process by now.
    if ((await readHolder(path))?.token === token) await rm(path, { force: true });
  }
}

/** Removes the megabytes that a killed process left of a list that is not loaded again. */
async function removeAbandoned(folder: string): Promise<void> {
  const names = new Set(
    (await listFileNames(folder)).flatMap((file) => /^([a-z0-9_]+)\..*\.part$/.exec(file)?.[1] ?? []),
  );
  for (const name of names) {
    // A lock exists before the first file, so a working process is seen here.
    if (await isAbandoned(join(folder, `${name}.lock`)))
      await removeFiles(folder, (file) => isTemporaryFile(name, file));
  }
}

function isTemporaryFile(name: string, file: string): boolean {
  return file.startsWith(`${name}.`) && file.endsWith('.part');
}

async function isAbandoned(path: string): Promise<boolean> {
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
        await rm(path, { force: true }); // a full disk leaves an empty lock
        throw error;
      }
      if (!(await removeStale(path))) break;
    }
  }
  throw new DatasetBusyError(`Another process is writing ${name} now; try again when it is done.`);
}

async function writeLock(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    matchOwner(dirname(path), file.fd);
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  return parseHolder(await readFile(path, 'utf8').catch(() => ''));
}

/** Returns true if the lock can be taken again. */
async function removeStale(path: string): Promise<boolean> {
  try {
    const seen = await readFile(path, 'utf8');
    if (!isStale(seen, (await stat(path)).mtimeMs)) return false;
    // If two processes find the same stale lock, the slower must not remove the new lock of the faster.
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
  const untouchedMs = Date.now() - touchedMs;
  const holder = parseHolder(text);
  // Half written by a process that is just taking it, or of another machine.
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
