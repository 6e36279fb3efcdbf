// What PostgreSQL has used so far: processor time of all its processes, rows written, bytes of its log. Linux only.
import { readdirSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { openDatabase } from '../../apps/server/src/platform/database/database.ts';

const TICKS = 100;
/** A connection that is idle tells what it has counted after ten seconds. */
const STATISTICS_MS = 11_000;

export interface PostgresUsage {
  cpuMs: number;
  logBytes: number;
}

export interface PostgresWatch {
  now(): Promise<PostgresUsage>;
  /** Waits until every connection has told what it has written. */
  rowsWritten(): Promise<number>;
  close(): Promise<void>;
}

export async function watchPostgres(url: string): Promise<PostgresWatch> {
  const { queries, close } = openDatabase({ url, dataDir: '' });
  const ask = async (text: string) => {
    const { rows } = await sql.raw<Record<string, unknown>>(text).execute(queries);
    return Object.values(rows[0]!)[0];
  };
  const parent = statOf(Number(await ask('select pg_backend_pid()')))!.parent;
  return {
    async now() {
      const log = Number(await ask("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn"));
      const children = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []));
      const ticks = children.filter((stat) => stat.parent === parent).reduce((sum, { own }) => sum + own, 0);
      const { own, ended } = statOf(parent)!;
      return { cpuMs: ((ticks + own + ended) * 1000) / TICKS, logBytes: log };
    },
    async rowsWritten() {
      await new Promise((resolve) => setTimeout(resolve, STATISTICS_MS));
      return Number(
        await ask(
          'select sum(n_tup_ins + n_tup_upd + n_tup_del) from pg_stat_user_tables where relname <> $$processes$$',
        ),
      );
    },
    close,
  };
}

/** Ticks of the process itself, and of its children that have ended. */
function statOf(pid: number): { parent: number; own: number; ended: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { parent: fields[1]!, own: fields[11]! + fields[12]!, ended: fields[13]! + fields[14]! };
  } catch {
    return undefined; // it has ended meanwhile
  }
}
