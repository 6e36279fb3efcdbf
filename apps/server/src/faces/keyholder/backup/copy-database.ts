// Backs up a database that key-holders share, from a snapshot while they run, and restores any key-holder backup into such a database.
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../../../platform/base/errors.ts';
import { auditFile, segmentName } from '../audit/chain.ts';
import { createTables, openPostgresRows, type PostgresRows, requireKeyHolder } from '../store/postgres.ts';
import type { Rows, RowValue } from '../store/store.ts';
import { CREATE_KEPT_IN_SQLITE, KEPT_TABLES } from '../store/tables.ts';
import { checkBackup, DATABASE_NAME, writeBackup } from './files.ts';

const ROWS_AT_ONCE = 500;

export async function backUpDatabase(url: string, target: string, now: number): Promise<string[]> {
  const opened = openPostgresRows(url, () => {});
  try {
    return await opened.snapshot(async (rows) => {
      await requireKeyHolder(rows);
      return writeBackup(target, now, async () => {
        await copyRows(rows, join(target, DATABASE_NAME));
        for (const { file, number } of await listDays(rows)) await writeLines(rows, number, join(target, file));
      });
    });
  } finally {
    await opened.close();
  }
}

async function copyRows(rows: PostgresRows, file: string): Promise<void> {
  const db = new DatabaseSync(file);
  try {
    // Without a journal: an interrupted backup is discarded, and the manifest is written after an fsync of all files.
    db.exec('pragma journal_mode = off; pragma synchronous = off; begin');
    db.exec(CREATE_KEPT_IN_SQLITE);
    for (const table of KEPT_TABLES) {
      const columns = listColumns(db, table);
      const insert = db.prepare(insertInto(table, columns));
      for await (const row of readRows(rows, `select ${columns.join(', ')} from ${table}`)) {
        insert.run(...columns.map((column) => row[column]!));
      }
    }
    db.exec('commit');
  } finally {
    db.close();
  }
}

async function* readRows(rows: PostgresRows, query: string): AsyncGenerator<Record<string, RowValue>> {
  await rows.query(`declare taken no scroll cursor for ${query}`);
  for (;;) {
    const batch = await rows.query<Record<string, RowValue>>(`fetch ${ROWS_AT_ONCE} from taken`);
    if (batch.length === 0) break;
    yield* batch;
  }
  await rows.run`close taken`;
}

async function listDays(rows: Rows): Promise<{ file: string; number: number; lines: number }[]> {
  const segments = await rows.all<{
    number: number;
    day: string;
    lines: number;
    pruned: 0 | 1;
  }>`select number, day, lines, pruned from audit_segments order by number`;
  const head = await rows.get<{ lines: number }>`select lines from audit_head`;
  const kept = segments.filter(({ pruned }) => pruned === 0);
  const present = { file: auditFile(''), number: (segments.at(-1)?.number ?? 0) + 1, lines: head?.lines ?? 0 };
  return [...kept.map((segment) => ({ ...segment, file: segmentName(segment) })), present];
}

async function writeLines(rows: Rows, segment: number, path: string): Promise<void> {
  let file: FileHandle | undefined;
  try {
    for (let last = 0; ; ) {
      const lines = await rows.all<{
        number: number;
        line: string;
      }>`select number, line from audit_lines where segment = ${segment} and number > ${last} order by number limit ${ROWS_AT_ONCE}`;
      if (lines.length === 0) return;
      last = lines.at(-1)!.number;
      file ??= await open(path, 'wx', 0o600);
      await file.writeFile(lines.map(({ line }) => `${line}\n`).join(''));
    }
  } finally {
    await file?.close();
  }
}

export async function restoreDatabase(source: string, url: string): Promise<string> {
  const { takenAt, files } = await checkBackup(source);
  const db = new DatabaseSync(join(source, DATABASE_NAME), { readOnly: true });
  const opened = openPostgresRows(url, () => {});
  try {
    await opened.transact(async (rows) => {
      await createTables(rows);
      if (await rows.get`select 1 from vault`) {
        throw new StartError('There is a key-holder in the database already; a backup is restored into an empty one.');
      }
      for (const table of KEPT_TABLES) {
        const columns = listColumns(db, table);
        for (const row of db.prepare(`select * from ${table}`).iterate() as Iterable<Record<string, RowValue>>) {
          await rows.query(
            insertInto(table, columns),
            columns.map((column) => row[column]!),
          );
        }
      }
      for (const { file, number, lines } of await listDays(rows)) {
        if (files.some(({ name }) => name === file)) await readLines(rows, number, lines, join(source, file));
      }
    });
    return takenAt;
  } finally {
    db.close();
    await opened.close();
  }
}

/** Reads as many lines as were committed. An unfinished line after them is ignored. */
async function readLines(rows: Rows, segment: number, lines: number, path: string): Promise<void> {
  let batch: { segment: number; number: number; line: string }[] = [];
  const put = async () => {
    await rows.run`insert into audit_lines (segment, number, line) select segment, number, line from json_to_recordset(${JSON.stringify(batch)}::json) as given (segment bigint, number bigint, line text)`;
    batch = [];
  };
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (number === lines) break;
    number += 1;
    batch.push({ segment, number, line });
    if (batch.length === ROWS_AT_ONCE) await put();
  }
  if (batch.length > 0) await put();
}

function listColumns(db: DatabaseSync, table: string): string[] {
  const columns = db.prepare(`select name from pragma_table_info('${table}')`).all() as { name: string }[];
  return columns.map(({ name }) => {
    // The name becomes part of a statement, and the file is untrusted.
    if (!/^[a-z][a-z_0-9]*$/.test(name))
      throw new StartError('This is no backup of a key-holder: a column has a name that none of ours has.');
    return name;
  });
}

function insertInto(table: string, columns: readonly string[]): string {
  return `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
}
