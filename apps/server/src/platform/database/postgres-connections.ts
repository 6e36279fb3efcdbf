// Opens connections to PostgreSQL. A connection that breaks is reported and discarded, and never fatal.
//
// A connection can break while idle, inside a query, or between two queries of a transaction. pg emits an `error` event for the last
// case, and Node ends a process without a listener for it. So every connection has one, and after a break refuses queries at once.
import pg from 'pg';
import { DatabaseError, isReadOnly, markConnectionError, READ_ONLY } from '../base/database-failures.ts';
import { StartError } from '../base/errors.ts';
import { readPostgresAddress } from './postgres-address.ts';

export const DEFAULT_TIMEOUTS = {
  /** Limit for reaching the server, or for getting a connection while all are in use */
  connectMs: 5_000,
  /** Server's limit for one statement. Ours take milliseconds; a scan of very many faces takes a few seconds. */
  statementMs: 30_000,
  /** Limit for a row that another transaction holds */
  lockMs: 10_000,
  /** Limit for a transaction without statements, whose client is gone and which still holds its rows */
  idleTransactionMs: 60_000,
  /** Limit for the answer to a statement. It exceeds the server's own limit, so the connection is half-open by then. */
  silenceMs: 35_000,
  /** Quiet time before TCP keep-alive probes. The system gives up ten seconds and ten probes later. */
  keepAliveMs: 5_000,
};

export type PostgresTimeouts = typeof DEFAULT_TIMEOUTS;

/** Timeouts of a command that an operator watches and can cancel. */
export const NO_TIMEOUTS: PostgresTimeouts = { ...DEFAULT_TIMEOUTS, statementMs: 0, lockMs: 0, silenceMs: 0 };

const LONG_WORK_MS = 600_000;
/** Time for the server to report that its own limit is over. */
const REPORT_MS = 5_000;
/** Statement that extends the limits of both ends for the rest of its transaction. */
export const ALLOW_LONG_WORK = `set local statement_timeout = ${LONG_WORK_MS}`;
const ENDS_OF_TRANSACTION = new Set(['commit', 'rollback']);

const MAX_CONNECTIONS = 10;
const INT8 = 20;
/** pg's message after `silenceMs`. It has no code. */
const READ_TIMEOUT_MESSAGE = 'Query read timeout';

export interface ConnectionOptions {
  /** Called once for every connection that breaks, whether or not it was in use. */
  onBroken: (error: Error) => void;
  timeouts?: PostgresTimeouts | undefined;
  refusesReadOnly?: boolean | undefined;
}

const WHY_READ_ONLY = `select case
  when pg_is_in_recovery() then 'the server is a standby that has not been promoted'
  when current_setting('transaction_read_only')::boolean then 'default_transaction_read_only is on'
end as reason`;

async function refuseReadOnly(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ reason: string | null }>(WHY_READ_ONLY);
  const { reason } = rows[0]!;
  if (reason !== null) throw new DatabaseError(READ_ONLY, `the database is read-only: ${reason}`);
}

/** Opens a pool in the form that Kysely expects. */
export function openConnections(
  url: string,
  { onBroken, timeouts = DEFAULT_TIMEOUTS, refusesReadOnly = false }: ConnectionOptions,
) {
  const { connectMs, statementMs, lockMs, idleTransactionMs, silenceMs, keepAliveMs } = timeouts;
  let created = 0;
  /** Number of the last distrusted connection. A dead wire or a read-only server concerns all earlier connections, too. */
  let distrusted = 0;
  const distrustAll = () => {
    distrusted = created;
  };
  const Client = createClientClass(() => ++created, onBroken, distrustAll);
  const { connectionString, ssl } = readPostgresAddress(url);
  const pool = new pg.Pool({
    connectionString,
    ssl,
    Client,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: connectMs,
    application_name: 'limen',
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleTransactionMs,
    query_timeout: silenceMs,
    types: {
      // Our 64-bit columns hold milliseconds and counts, all far below 2^53.
      getTypeParser: ((oid: number, format?: string) =>
        oid === INT8 && format !== 'binary'
          ? Number
          : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  });
  const writable = new WeakSet<pg.PoolClient>();
  // The connection's own listener has reported the error. Without a listener, the pool would throw it.
  pool.on('error', () => {});
  const openClient = () =>
    pool.connect().catch((error: unknown) => {
      throw explainTlsFailure(error) ?? markConnectionError(error);
    }) as Promise<pg.PoolClient & InstanceType<typeof Client>>;
  const connect = async (): Promise<pg.PoolClient> => {
    let client = await openClient();
    // Otherwise one request could time out on one dead connection after the other.
    while (client.number <= distrusted) {
      client.release(true);
      client = await openClient();
    }
    const { release } = client;
    // The pool keeps a connection that is released without `true`.
    client.release = (discard) => release(discard || client.isLost || client.number <= distrusted);
    if (refusesReadOnly && !writable.has(client)) {
      try {
        await refuseReadOnly(client);
      } catch (error) {
        client.release(true);
        throw error;
      }
      writable.add(client);
    }
    return client;
  };
  return {
    options: pool.options,
    connect,
    async ping() {
      const client = await connect();
      try {
        await refuseReadOnly(client);
      } catch (error) {
        if (isReadOnly(error)) distrustAll();
        throw error;
      } finally {
        client.release();
      }
    },
    end: () => pool.end(),
  };
}

/** `onDoubt` is called after a silent connection or a write that the server refused as read-only. */
function createClientClass(nextNumber: () => number, onBroken: (error: Error) => void, onDoubt: () => void) {
  return class WatchedClient extends pg.Client {
    readonly number = nextNumber();
    #lost: Error | undefined;
    /** Whether `ALLOW_LONG_WORK` holds for the current transaction. */
    #worksLong = false;

    constructor(config?: pg.ClientConfig) {
      super(config);
      this.on('error', (error) => this.#lose(error));
    }

    get isLost(): boolean {
      return this.#lost !== undefined;
    }

    // Kysely uses only the form that returns a promise.
    override query(...queryArguments: never[]): never {
      if (this.#lost) return Promise.reject(this.#explain()) as never;
      const answer = super.query(
        ...this.#withPatience(...(queryArguments as unknown as [string, unknown[] | undefined])),
      ) as unknown;
      if (!(answer instanceof Promise)) return answer as never;
      return answer.catch((error: Error) => {
        if (error.message === READ_TIMEOUT_MESSAGE) this.#lose(error);
        if (error.message === READ_TIMEOUT_MESSAGE || isReadOnly(error)) onDoubt();
        // Errors of the server have a code and stay as they are.
        throw this.#lost && !(error instanceof pg.DatabaseError) ? this.#explain() : markConnectionError(error);
      }) as never;
    }

    /** Adds a longer limit during long work. */
    #withPatience(text: string, values: unknown[] | undefined): [string, (unknown[] | undefined)?] {
      if (text === ALLOW_LONG_WORK) this.#worksLong = true;
      else if (ENDS_OF_TRANSACTION.has(text)) this.#worksLong = false;
      if (!this.#worksLong) return [text, values];
      const query = { text, values, query_timeout: LONG_WORK_MS + REPORT_MS };
      return [query as unknown as string];
    }

    #lose(error: Error): void {
      if (this.#lost) return;
      this.#lost = error;
      onBroken(this.#explain());
      // A regular end would wait for an answer of the server.
      this.connection.stream.destroy();
    }

    #explain(): DatabaseError {
      return new DatabaseError('lost', 'the connection to the database was lost', { cause: this.#lost });
    }
  };
}

/** Throws behind a pooler such as PgBouncer, which shares sessions. Its greeting names another process than the one that answers. */
export async function refusePooler(url: string, what: string): Promise<void> {
  const connections = openConnections(url, { onBroken: () => {} });
  try {
    const client = (await connections.connect()) as pg.PoolClient & { processID: number };
    try {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      if (rows[0]!.pid === client.processID) return;
    } finally {
      client.release();
    }
  } finally {
    await connections.end();
  }
  throw new StartError(
    `${what} needs a connection to PostgreSQL itself, and DATABASE_URL leads to a pooler such as PgBouncer. ` +
      'Run it with the address of the primary server in DATABASE_URL.',
  );
}

/** Codes of OpenSSL for certificates, and of Node. */
const TLS_CODE = /^(ERR_(TLS|SSL)_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE)$)/;
/** node-postgres reports a server without TLS by this text alone. */
const NO_TLS = 'The server does not support SSL connections';

/** Returns a failure with a sentence for the operator, or undefined if a connection failed for another reason than TLS. */
export function explainTlsFailure(error: unknown): DatabaseError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '' } = error as { code?: string };
  if (error.message !== NO_TLS && !TLS_CODE.test(code)) return undefined;
  return new DatabaseError('tls', remedyFor(code), { cause: error });
}

/** Returns a sentence in which DATABASE_URL stands for the setting that names the database. */
function remedyFor(code: string): string {
  if (code === '')
    return 'PostgreSQL offers no TLS: set ssl = on in postgresql.conf, or sslmode=disable in DATABASE_URL.';
  if (/^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA)/.test(code)) {
    return `The CA of PostgreSQL’s certificate is not known (${code}): name the file of the right CA with sslrootcert=… in DATABASE_URL.`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `PostgreSQL’s certificate does not name the host (${code}): use a host name of the certificate in DATABASE_URL, or have a certificate issued for this one.`;
  }
  if (/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(code)) {
    return `PostgreSQL’s certificate is out of date (${code}): renew it, reload the server, and check this machine’s clock.`;
  }
  return `TLS to PostgreSQL failed (${code}): check sslmode, sslrootcert, sslcert and sslkey in DATABASE_URL, and the server’s log.`;
}
