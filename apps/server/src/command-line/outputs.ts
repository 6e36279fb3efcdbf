// Outputs of `limen screen`: a table, a CSV file, a JSON file.
import { randomBytes } from 'node:crypto';
import { access, constants, type FileHandle, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { MatchedRow, ScreenedRow } from '@limen/contract';
import { csvCell } from '@limen/contract/csv';
import { CommandError } from './command.ts';
import { printTable, toPrintableLines } from './terminal/print-table.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Maximum rows of a table on a screen */
const MAX_TABLE_ROWS = 100;
/** Maximum length of a chain of links */
const MAX_LINKS = 40;
const MAX_CELL = 60;

export type Output = Awaited<ReturnType<typeof openOutput>>;

/**
 * Finds a target for a result and checks that it is writable before the work begins. `-` is
 * standard output.
 */
export async function findTarget(name: string) {
  return { name, place: name === '-' ? undefined : await findOutputPlace(name) };
}

/** Opens an output. Each `write` is a line. */
export async function openOutput({ name, place }: Awaited<ReturnType<typeof findTarget>>, terminal: Terminal) {
  if (!place) {
    const write = async (text: string) => terminal.print(terminal.isScreen ? toPrintableLines(text) : text);
    return { write, finish: async () => {}, discard: async () => {} };
  }
  const orRefuse = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      throw cannotWrite(name, error);
    });
  const partial = place.isDirect ? undefined : `${place.path}.${randomBytes(6).toString('hex')}.part`;
  const file = await orRefuse(
    partial === undefined ? open(place.path, constants.O_WRONLY) : open(partial, 'wx', 0o600),
  );
  return {
    write: (text: string) => orRefuse(writeAll(file, Buffer.from(`${text}\n`))),
    /** Publishes the file under its name. A device or pipe already has everything. */
    async finish(): Promise<void> {
      await orRefuse(file.close());
      if (partial !== undefined) await orRefuse(rename(partial, place.path));
    },
    async discard(): Promise<void> {
      await file.close().catch(() => {});
      if (partial !== undefined) await rm(partial, { force: true });
    },
  };
}

/** Writes without a position, which pipes do not have. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    done += (await file.write(bytes, done, bytes.byteLength - done, null)).bytesWritten;
  }
}

export const CSV_COLUMNS = [
  ...['id', 'firstname', 'lastname', 'dob', 'match', 'score', 'matched_name', 'listed_id', 'listed_caption'],
  ...['datasets', 'name_explanation', 'dob_explanation', 'warning', 'name'],
];

/** Writes one line per row of the file, with the best match of every row that has a score. */
export function toCsvLines(results: readonly ScreenedRow[], candidates: readonly MatchedRow[]): string {
  const waiting = [...candidates];
  return results
    .map((row) => {
      // Candidates come in the order of the file, so the next one belongs to the next row with a score.
      const best = row.score > 0 ? waiting.shift()?.matches[0] : undefined;
      const found = best ? cellsOfMatch(best) : Array(6).fill('');
      const { id, firstname, lastname, dob, match, score, warning = '', name = '' } = row;
      return [id, firstname, lastname, dob, match, score, ...found, warning, name].map(csvCell).join(',');
    })
    .join('\n');
}

function cellsOfMatch({ matchedName, id, caption, datasets, explanation }: MatchedRow['matches'][number]): string[] {
  return [matchedName, id, caption, datasets.join(' '), explanation.name, explanation.birthDate];
}

export function createMatchTable({ print, complain, paint }: Terminal) {
  const rows: string[][] = [];
  let more = 0;
  return {
    add(records: readonly MatchedRow[]): void {
      for (const record of records) {
        const [best] = record.matches;
        if (!best || rows.length >= MAX_TABLE_ROWS) more += 1;
        else rows.push(formatCells(record, best));
      }
    },
    print(): void {
      if (rows.length === 0) return;
      const score = { heading: 'SCORE', align: 'right' } as const;
      const columns = ['ID', 'NAME', 'BORN', score, 'LISTED NAME', 'LISTED ID', 'WHY'];
      print(printTable(columns, rows, (text) => paint('bold', text)));
      if (more > 0) complain(`And ${more} more; write all of them with --csv or --json.`);
    },
  };
}

function formatCells(record: MatchedRow, best: MatchedRow['matches'][number]): string[] {
  const { id, firstname, lastname, dob, score } = record;
  const { matchedName, id: listedId, explanation } = best;
  const why = `${explanation.name}; born: ${explanation.birthDate}`;
  const name = `${firstname} ${lastname}`.trim() || (record.name ?? '');
  return [id, name, dob, score.toFixed(3), matchedName, listedId, why].map(shorten);
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length > MAX_CELL ? `${characters.slice(0, MAX_CELL - 1).join('')}…` : text;
}

/**
 * Throws a CommandError if nothing can be written. `isDirect` marks a device or pipe, which no file
 * must replace.
 */
async function findOutputPlace(target: string) {
  const found = await look(target, target);
  if (found?.isDirectory()) throw new CommandError(`${target} is a folder; name a file in it for the result.`);
  if (found && !found.isFile()) {
    await requireWritable(target, target);
    return { path: resolve(target), isDirect: true };
  }
  const path = found ? await realpath(target) : await followLinks(resolve(target));
  const folder = dirname(path);
  const above = await look(target, folder);
  if (!above) throw new CommandError(`There is no folder ${folder} for the result; create it first.`);
  if (!above.isDirectory()) throw new CommandError(`${folder} is a file, so the result cannot be put into it.`);
  await requireWritable(target, folder);
  return { path, isDirect: false };
}

/** Returns the path of a file that does not exist yet. Links may lead to it. */
async function followLinks(path: string, linksLeft = MAX_LINKS): Promise<string> {
  const link = linksLeft > 0 ? await readlink(path).catch(() => undefined) : undefined;
  if (link === undefined) return path;
  return followLinks(resolve(await realpath(dirname(path)), link), linksLeft - 1);
}

async function requireWritable(target: string, path: string): Promise<void> {
  await access(path, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw cannotWrite(target, error);
  });
}

async function look(target: string, path: string) {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    if (error.code === 'ENOTDIR') throw new CommandError(`A part of the path ${target} is a file, not a folder.`);
    if (error.code === 'ELOOP') throw new CommandError(`${target} is a broken link.`);
    throw cannotWrite(target, error);
  });
}

const NOT_PERMITTED = 'check the owner and permissions of the file and its folder';
const CANNOT_WRITE: Record<string, string> = {
  ENOSPC: 'the disk is full',
  ...{ EACCES: NOT_PERMITTED, EPERM: NOT_PERMITTED, EROFS: NOT_PERMITTED },
};

function cannotWrite(target: string, { code }: NodeJS.ErrnoException): CommandError {
  const reason = code && CANNOT_WRITE[code];
  return new CommandError(`${target} cannot be written: ${reason ?? `the system says ${code ?? 'nothing'}`}.`);
}
