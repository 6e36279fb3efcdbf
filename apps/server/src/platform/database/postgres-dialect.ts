// Kysely on PostgreSQL through a small connection pool.
import { type Dialect, PostgresDialect } from 'kysely';
import pg from 'pg';

const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 5_000;
const INT8 = 20;

export interface PostgresHandle {
  dialect: Dialect;
}

/** `onError` hears of idle connections that broke; without a listener they would end the process. */
export function openPostgres(url: string, onError: (error: Error) => void): PostgresHandle {
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'limen',
    keepAlive: true,
    // A stuck lock or a lost network must not hold all connections for ever.
    statement_timeout: 30_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 60_000,
    query_timeout: 35_000,
    types: {
      // Our 64-bit columns hold milliseconds and counts, all far below 2^53.
      getTypeParser: ((oid: number, format?: string) =>
        oid === INT8 && format !== 'binary'
          ? Number
          : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  });
  pool.on('error', onError);
  return { dialect: new PostgresDialect({ pool }) };
}
