// The files that `limen screen` is called with: one to read, and up to two to write.
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { CommandFailure } from '../../command-line/command.ts';
import { findTarget, type Target } from '../../command-line/outputs.ts';

/** The file that is screened. */
export async function openPeople(path: string): Promise<FileHandle> {
  const refuse = ({ code }: NodeJS.ErrnoException) => {
    throw new CommandFailure(
      code === 'ENOENT' || code === 'ENOTDIR' ? `There is no file ${path}.` : `${path} cannot be read (${code}).`,
    );
  };
  const found = await stat(path).catch(refuse);
  if (found.isDirectory()) throw new CommandFailure(`${path} is a folder; name the CSV file.`);
  // It is read at several places at once.
  if (!found.isFile()) throw new CommandFailure(`${path} is not a regular file; save its content as one first.`);
  return open(path).catch(refuse);
}

export interface Targets {
  json: Target | undefined;
  csv: Target | undefined;
}

/** Refuses what would overwrite something it must not, before any work is done. */
export async function findTargets(input: string, { json, csv }: { json?: string; csv?: string }): Promise<Targets> {
  if (json === '-' && csv === '-') throw samePlace();
  const targets = {
    json: json === undefined ? undefined : await findTarget(json),
    csv: csv === undefined ? undefined : await findTarget(csv),
  };
  const paths = [targets.json, targets.csv].flatMap((target) => target?.place?.path ?? []);
  if (new Set(paths).size < paths.length) throw samePlace();
  if (paths.includes(await realpath(input))) {
    throw new CommandFailure('The result would overwrite the file being screened.', { usage: true });
  }
  return targets;
}

function samePlace(): CommandFailure {
  return new CommandFailure('JSON and CSV cannot go to the same place.', { usage: true });
}
