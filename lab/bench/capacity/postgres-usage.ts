// PostgreSQL's resource usage: CPU time of all processes, rows written, WAL bytes. Linux only.
import { readdirSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { openDatabase } from '../../../apps/server/src/platform/database/database.ts';

const TICKS = 100;
/** Required server settings. */
export const POSTGRES_SETTINGS = { shared_preload_libraries: 'pg_stat_statements' };
/** Queries of this file, which are not counted. */
const OWN = 'pg_';
/** Idle connections flush their statistics after ten seconds. */
const STATISTICS_MS = 11_000;

export interface PostgresUsage {
  cpuMs: number;
  logBytes: number;
  statements: number;
}

export interface PostgresWatch {
  now(): Promise<PostgresUsage>;
  /** Waits until every connection has flushed its statistics. */
  written(): Promise<{ rows: number; storedBytes: number }>;
  close(): Promise<void>;
}

export async function watchPostgres(url: string): Promise<PostgresWatch> {
  const { queries, close } = openDatabase({ url, dataDir: '' });
  const ask = async (text: string) => {
    const { rows } = await sql.raw<Record<string, unknown>>(text).execute(queries);
    return Object.values(rows[0]!)[0];
  };
  await sql`create extension if not exists pg_stat_statements`.execute(queries);
  const parent = statOf(Number(await ask('select pg_backend_pid()')))!.parent;
  return {
    async now() {
      const log = Number(await ask("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn"));
      const children = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []));
      const ticks = children.filter((stat) => stat.parent === parent).reduce((sum, { own }) => sum + own, 0);
      const { own, ended } = statOf(parent)!;
      const run = `select sum(calls) from pg_stat_statements where query not like '%${OWN}%'`;
      return { cpuMs: ((ticks + own + ended) * 1000) / TICKS, logBytes: log, statements: Number(await ask(run)) };
    },
    async written() {
      await new Promise((resolve) => setTimeout(resolve, STATISTICS_MS));
      const rows = Number(
        await ask(
          'select sum(n_tup_ins + n_tup_upd + n_tup_del) from pg_stat_user_tables where relname <> $$processes$$',
        ),
      );
      const { rows: tables } = await sql<{ name: string }>`select relname as name from pg_stat_user_tables`.execute(
        queries,
      );
      const sizes = tables.map(({ name }) => ask(`select coalesce(sum(pg_column_size(t)), 0) from "${name}" t`));
      return { rows, storedBytes: (await Promise.all(sizes)).reduce<number>((sum, size) => sum + Number(size), 0) };
    },
    close,
  };
}

/** Ticks of the process and its exited children. */
function statOf(pid: number): { parent: number; own: number; ended: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { parent: fields[1]!, own: fields[11]! + fields[12]!, ended: fields[13]! + fields[14]! };
  } catch {
    return undefined; // exited in the meantime
  }
}
