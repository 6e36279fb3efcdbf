// A backup of key-holders that share a database, as they were at one moment, while they go on; and any backup into such a database.
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../../../platform/base/errors.ts';
import { auditFile, segmentName } from '../audit/chain.ts';
import { createTables, openPostgresRows, requireKeyHolder } from '../store/postgres.ts';
import type { Rows, RowValue } from '../store/store.ts';
import { KEPT_TABLES, keptTables, SQLITE } from '../store/tables.ts';
import { checkBackup, DATABASE_NAME, writeBackup } from './files.ts';

const ROWS_AT_ONCE = 500;

/** Gives the names of the files. */
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

async function copyRows(rows: Rows, file: string): Promise<void> {
  const db = new DatabaseSync(file);
  try {
    // Nobody needs half of it, and whoever finishes the backup sees that it is on the disk.
    db.exec('pragma journal_mode = off; pragma synchronous = off; begin');
    db.exec(keptTables(SQLITE));
    for (const table of KEPT_TABLES) {
      const columns = columnsOf(db, table);
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

/** Some at a time: there may be more than the memory holds. */
async function* readRows(rows: Rows, query: string): AsyncGenerator<Record<string, RowValue>> {
  await rows.run(`declare taken no scroll cursor for ${query}`);
  for (;;) {
    const some = await rows.all<Record<string, RowValue>>(`fetch ${ROWS_AT_ONCE} from taken`);
    if (some.length === 0) break;
    yield* some;
  }
  await rows.run('close taken');
}

interface Day {
  file: string;
  /** Of its lines in the database. */
  number: number;
  lines: number;
}

/** Those whose lines are kept, the present one last. */
async function listDays(rows: Pick<Rows, 'all'>): Promise<Day[]> {
  const segments = await rows.all<{ number: number; day: string; lines: number; pruned: 0 | 1 }>(
    'select number, day, lines, pruned from audit_segments order by number',
  );
  const heads = await rows.all<{ lines: number }>('select lines from audit_head');
  const kept = segments.filter(({ pruned }) => pruned === 0);
  const present = { file: auditFile(''), number: (segments.at(-1)?.number ?? 0) + 1, lines: heads[0]?.lines ?? 0 };
  return [...kept.map((segment) => ({ ...segment, file: segmentName(segment) })), present];
}

async function writeLines(rows: Rows, segment: number, path: string): Promise<void> {
  let file: FileHandle | undefined;
  try {
    for (let last = 0; ; ) {
      const lines = await rows.all<{ number: number; line: string }>(
        'select number, line from audit_lines where segment = ? and number > ? order by number limit ?',
        ...[segment, last, ROWS_AT_ONCE],
      );
      if (lines.length === 0) return;
      last = lines.at(-1)!.number;
      file ??= await open(path, 'wx', 0o600);
      await file.writeFile(lines.map(({ line }) => `${line}\n`).join(''));
    }
  } finally {
    await file?.close();
  }
}

/** Into a database in which no key-holder has been. Gives when the backup was taken. */
export async function restoreDatabase(source: string, url: string): Promise<string> {
  const { takenAt, files } = await checkBackup(source);
  const db = new DatabaseSync(join(source, DATABASE_NAME), { readOnly: true });
  const opened = openPostgresRows(url, () => {});
  try {
    await opened.transact(async (rows) => {
      await createTables(rows);
      if (await rows.get('select 1 from vault')) {
        throw new StartError('There is a key-holder in the database already; a backup is restored into an empty one.');
      }
      for (const table of KEPT_TABLES) {
        const columns = columnsOf(db, table);
        for (const row of db.prepare(`select * from ${table}`).iterate() as Iterable<Record<string, RowValue>>) {
          await rows.run(insertInto(table, columns), ...columns.map((column) => row[column]!));
        }
      }
      const days = await listDays(rows);
      for (const day of days.filter(({ file }) => files.some(({ name }) => name === file))) {
        await readLines(rows, day, join(source, day.file));
      }
    });
    return takenAt;
  } finally {
    db.close();
    await opened.close();
  }
}

/** As many as were told of; the rest of a line behind them never was. */
async function readLines(rows: Rows, { number: segment, lines }: Day, path: string): Promise<void> {
  let batch: { segment: number; number: number; line: string }[] = [];
  const put = async () => {
    await rows.run(
      'insert into audit_lines (segment, number, line) select segment, number, line from json_to_recordset(?::json) as given (segment bigint, number bigint, line text)',
      JSON.stringify(batch),
    );
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

const COLUMN_NAME = /^[a-z][a-z_0-9]*$/;

function columnsOf(db: DatabaseSync, table: string): string[] {
  const columns = db.prepare(`select name from pragma_table_info('${table}')`).all() as { name: string }[];
  return columns.map(({ name }) => {
    // It becomes part of a statement, and a file can be anybody's.
    if (!COLUMN_NAME.test(name))
      throw new StartError('This is no backup of a key-holder: a column has a name that none of ours has.');
    return name;
  });
}

function insertInto(table: string, columns: readonly string[]): string {
  return `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
}
