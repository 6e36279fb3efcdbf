// The one place where connections to PostgreSQL are made: each one that breaks is noticed, given up and never fatal.
//
// A connection can break at any moment: idle, inside a query, or checked out and between two queries of a transaction. pg
// tells the last by an `error` event, and Node ends a process in which nobody listens for one. So every connection has a
// listener from its first moment to its last, and from the break on refuses every query at once.
import pg from 'pg';
import { DatabaseFailure, isReadOnly, markConnectionError, READ_ONLY } from '../base/database-failures.ts';
import { readPostgresAddress } from './postgres-address.ts';

/** How long each thing may take; a test makes them shorter. */
export interface PostgresTimeouts {
  /** Reaching the server, or getting a connection while all are in use. */
  connectMs: number;
  /** One statement, by the server's own count. Ours take milliseconds; a scan of very many faces a few seconds. */
  statementMs: number;
  /** Waiting for a row that another transaction holds. */
  lockMs: number;
  /** A transaction that asks for nothing: whoever began it is gone, and it holds its rows until then. */
  idleTransactionMs: number;
  /**
   * Hearing nothing about a statement. Longer than the server's own limit, which it would have told: so the other end is
   * gone without a word (half-open), and no query on this connection will ever be answered.
   */
  silenceMs: number;
  /** Quiet before the system asks the other end whether it is there; it gives up ten seconds, and ten questions, later. */
  keepAliveMs: number;
}

export const DEFAULT_TIMEOUTS: PostgresTimeouts = {
  connectMs: 5_000,
  statementMs: 30_000,
  lockMs: 10_000,
  idleTransactionMs: 60_000,
  silenceMs: 35_000,
  keepAliveMs: 5_000,
};

/** For a command that somebody watches, and may end. */
export const UNHURRIED: PostgresTimeouts = { ...DEFAULT_TIMEOUTS, statementMs: 0, lockMs: 0, silenceMs: 0 };

/** What may take this long says so first, within its transaction: the server allows it then, and so does our end of the wire. */
const LONG_WORK_MS = 600_000;
/** For the server to tell that its own limit is over. */
const TELLING_MS = 5_000;
export const ALLOW_LONG_WORK = `set local statement_timeout = ${LONG_WORK_MS}`;
const ENDS_OF_TRANSACTION = new Set(['commit', 'rollback']);

const MAX_CONNECTIONS = 10;
const INT8 = 20;
/** How pg says that `silenceMs` is over; it gives no code. */
const SILENT = 'Query read timeout';

/** What Kysely wants of a pool. */
export interface PostgresConnections {
  readonly options: pg.PoolOptions;
  connect(): Promise<pg.PoolClient>;
  /** Throws when the database does not answer, or is read-only. */
  ping(): Promise<void>;
  end(): Promise<void>;
}

export interface ConnectionOptions {
  /** Hears of every connection that broke, once, whether or not it was in use. */
  onBroken: (error: Error) => void;
  timeouts?: PostgresTimeouts | undefined;
  /** Whether new connections to a read-only database are refused as if it did not answer. */
  refusesReadOnly?: boolean | undefined;
}

const WHY_READ_ONLY = `select case
  when pg_is_in_recovery() then 'the server is a standby that has not been promoted'
  when current_setting('transaction_read_only')::boolean then 'default_transaction_read_only is on'
end as reason`;

async function refuseReadOnly(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ reason: string | null }>(WHY_READ_ONLY);
  const { reason } = rows[0]!;
  if (reason !== null) throw new DatabaseFailure(READ_ONLY, `the database is read-only: ${reason}`);
}

export function openConnections(
  url: string,
  { onBroken, timeouts, refusesReadOnly = false }: ConnectionOptions,
): PostgresConnections {
  const { connectMs, statementMs, lockMs, idleTransactionMs, silenceMs, keepAliveMs } = timeouts ?? DEFAULT_TIMEOUTS;
  let made = 0;
  /** The last connection that is no longer trusted: a dead wire or a read-only server concerns all that were made before, too. */
  let suspected = 0;
  const suspectAll = () => {
    suspected = made;
  };
  const Client = watchedBy({ onBroken, number: () => ++made, onSilent: suspectAll, onReadOnly: suspectAll });
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
  // The connection's own listener has told it already; without this one the pool would throw what it hears.
  pool.on('error', () => {});
  const openOne = () =>
    pool.connect().catch((error: unknown) => {
      throw explainTlsFailure(error) ?? markConnectionError(error);
    }) as Promise<pg.PoolClient & WatchedClient>;
  const connect = async () => {
    let client = await openOne();
    // Or one request would wait for the end of patience on one of them after the other, until its client had given up.
    while (client.number <= suspected) {
      client.release(true);
      client = await openOne();
    }
    const { release } = client;
    // The pool keeps a connection that is released without `true`.
    client.release = (discard) => release(discard || client.isLost || client.number <= suspected);
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
        if (isReadOnly(error)) suspectAll();
        throw error;
      } finally {
        client.release();
      }
    },
    end: () => pool.end(),
  };
}

type WatchedClient = InstanceType<ReturnType<typeof watchedBy>>;

interface Watcher {
  onBroken(error: Error): void;
  /** One of them has heard nothing for `silenceMs`. */
  onSilent(): void;
  /** The server of one of them refused a write. */
  onReadOnly(): void;
  /** In the order in which they are made. */
  number(): number;
}

function watchedBy({ onBroken, onSilent, onReadOnly, number }: Watcher) {
  return class Watched extends pg.Client {
    readonly number = number();
    #lost: Error | undefined;
    /** From `ALLOW_LONG_WORK` to the end of its transaction. */
    #worksLong = false;

    constructor(config?: pg.ClientConfig) {
      super(config);
      this.on('error', (error) => this.#lose(error));
    }

    get isLost(): boolean {
      return this.#lost !== undefined;
    }

    // Kysely uses the one form that gives a promise; the others go their way, to refusals of pg's own.
    override query(...given: never[]): never {
      if (this.#lost) return Promise.reject(this.#explain()) as never;
      const answer = super.query(
        ...this.#withPatience(...(given as unknown as [string, unknown[] | undefined])),
      ) as unknown;
      if (!(answer instanceof Promise)) return answer as never;
      return answer.catch((error: Error) => {
        if (error.message === SILENT) {
          this.#lose(error);
          onSilent();
        }
        if (isReadOnly(error)) onReadOnly();
        // What the server itself says has a code and stays as it is, its farewell included.
        throw this.#lost && !(error instanceof pg.DatabaseError) ? this.#explain() : markConnectionError(error);
      }) as never;
    }

    /** With a limit of its own where the server was told of long work; Kysely gives the text and its values. */
    #withPatience(text: string, values: unknown[] | undefined): [string, (unknown[] | undefined)?] {
      if (text === ALLOW_LONG_WORK) this.#worksLong = true;
      else if (ENDS_OF_TRANSACTION.has(text)) this.#worksLong = false;
      if (!this.#worksLong) return [text, values];
      const query = { text, values, query_timeout: LONG_WORK_MS + TELLING_MS };
      return [query as unknown as string];
    }

    #lose(error: Error): void {
      if (this.#lost) return;
      this.#lost = error;
      onBroken(this.#explain());
      // A silent one is not worth a farewell: it would wait for an answer to that, too.
      this.connection.stream.destroy();
    }

    #explain(): DatabaseFailure {
      return new DatabaseFailure('lost', 'the connection to the database is gone', { cause: this.#lost });
    }
  };
}

/** OpenSSL's verdicts on a certificate, and Node's own codes. */
const TLS_CODE = /^(ERR_(TLS|SSL)_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE)$)/;
/** node-postgres reports a server without TLS by this text alone. */
const NO_TLS = 'The server does not support SSL connections';

/** Returns the failure with a sentence for the operator, or undefined if a connection failed for another reason. */
export function explainTlsFailure(error: unknown): DatabaseFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '' } = error as { code?: string };
  if (error.message !== NO_TLS && !TLS_CODE.test(code)) return undefined;
  return new DatabaseFailure('tls', remedyFor(code), { cause: error });
}

/** DATABASE_URL stands for the setting that names the database. */
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
