// Decides, before any work is done, how a result may be put at the path that was asked for.
import { access, constants, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CommandFailure } from './command.ts';

export interface OutputPlace {
  /** Where it ends up, behind all links. */
  path: string;
  /** A device or pipe is written to; it must not be replaced by a file. */
  isDirect: boolean;
}

/** As many links as the system itself follows. */
const MAX_LINKS = 40;

/** Throws a CommandFailure where nothing can be written. Makes nothing. */
export async function findOutputPlace(target: string): Promise<OutputPlace> {
  const found = await look(target, target);
  if (found?.isDirectory()) throw new CommandFailure(`${target} is a folder; name a file in it for the result.`);
  if (found && !found.isFile()) {
    await requireWritable(target, target);
    return { path: resolve(target), isDirect: true };
  }
  const path = found ? await realpath(target) : await followLinks(target, resolve(target));
  await requireFolder(target, dirname(path));
  return { path, isDirect: false };
}

/** A link may lead to where no file is yet. The folder is made real first: `..` in a link counts from there. */
async function followLinks(target: string, path: string): Promise<string> {
  let current = path;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    await requireFolder(target, dirname(current));
    const link = await readlink(current).catch(() => undefined);
    if (link === undefined) return current;
    current = resolve(await realpath(dirname(current)), link);
  }
  throw new CommandFailure(`${target} is a broken link.`);
}

async function requireFolder(target: string, folder: string): Promise<void> {
  const found = await look(target, folder);
  if (!found) throw new CommandFailure(`There is no folder ${folder} for the result; create it first.`);
  if (!found.isDirectory()) throw new CommandFailure(`${folder} is a file, so the result cannot be put into it.`);
  await requireWritable(target, folder);
}

async function requireWritable(target: string, path: string): Promise<void> {
  await access(path, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw cannotWrite(target, error);
  });
}

async function look(target: string, path: string) {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    if (error.code === 'ENOTDIR') throw new CommandFailure(`A part of the path ${target} is a file, not a folder.`);
    if (error.code === 'ELOOP') throw new CommandFailure(`${target} is a broken link.`);
    throw cannotWrite(target, error);
  });
}

export function cannotWrite(target: string, { code }: NodeJS.ErrnoException): CommandFailure {
  const reason =
    code === 'ENOSPC'
      ? 'the disk is full'
      : code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
        ? 'check the owner and permissions of the file and its folder'
        : `the system says ${code ?? 'nothing'}`;
  return new CommandFailure(`${target} cannot be written: ${reason}.`);
}
