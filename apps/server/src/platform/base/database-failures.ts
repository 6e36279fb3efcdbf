// Tells a database that cannot answer now (try again), or has no room, from a fault in our own query.

/**
 * PostgreSQL: connection exceptions, resources, operator intervention, system errors; and what a second try gets past:
 * serialization failures, deadlocks, a lock that was not to be had in time.
 */
const UNAVAILABLE_SQLSTATE = /^(08|53|57|58|25006|40001|40P01|55P03)/;
/** A write on a standby, or where `default_transaction_read_only` is on: passes with the fail-over. */
export const READ_ONLY = '25006';
const UNAVAILABLE_SYSTEM = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN']);
/** pg reports these without a code. */
const UNAVAILABLE_TEXT =
  /^(Connection terminated|timeout exceeded when trying to connect|There was an error establishing an SSL connection)/;
/** SQLite result codes: busy, I/O error, cannot open. */
const UNAVAILABLE_SQLITE = new Set([5, 10, 14]);

/**
 * What we find out ourselves. `full`: the disk is, and nothing was written. `lost`: the connection is gone before the query was
 * answered; whether it was carried out is unknown. `READ_ONLY` and `tls`: found before the first query, so nothing was carried out.
 */
type FailureCode = 'full' | 'lost' | 'tls' | typeof READ_ONLY;

export class DatabaseFailure extends Error {
  override readonly name = 'DatabaseFailure';
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const DISK_FULL_SQLSTATE = '53100';
const DISK_FULL_SQLITE = 13;

export function isDiskFull(error: unknown): boolean {
  if (error instanceof DatabaseFailure) return error.code === 'full';
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  if (code === 'ERR_SQLITE_ERROR') return typeof errcode === 'number' && (errcode & 0xff) === DISK_FULL_SQLITE;
  return code === DISK_FULL_SQLSTATE || code === 'ENOSPC';
}

/** Of this machine: where `isDiskFull` and it was not PostgreSQL that said so of its own. */
export function isOwnDiskFull(error: unknown): boolean {
  return isDiskFull(error) && (error as { code?: unknown }).code !== DISK_FULL_SQLSTATE;
}

export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseFailure) return error.code !== 'full';
  if (isDiskFull(error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (code === 'ERR_SQLITE_ERROR') {
    return typeof errcode === 'number' && UNAVAILABLE_SQLITE.has(errcode & 0xff);
  }
  if (typeof code === 'string') {
    return isRefused(error) || UNAVAILABLE_SYSTEM.has(code) || (code.length === 5 && UNAVAILABLE_SQLSTATE.test(code));
  }
  return UNAVAILABLE_TEXT.test(error.message);
}

/** Serialization failure, deadlock, and limits of time: they concern one statement, and where it was made is worth a look. */
const OF_ONE_STATEMENT = new Set<unknown>(['40001', '40P01', '55P03', '57014']);

const connectionErrors = new WeakSet<object>();

/** Marks and returns an error of a connection to the database: its code can be that of any other connection or file. */
export function markConnectionError<T>(error: T): T {
  if (error instanceof Error) connectionErrors.add(error);
  return error;
}

function isSqliteError(error: Error): boolean {
  return (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR';
}

/** Whether the database makes everything that needs it fail alike, until it is back or has room. False for errors from elsewhere. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isFromDatabase = error instanceof DatabaseFailure || isSqliteError(error) || connectionErrors.has(error);
  if (!isFromDatabase) return false;
  if (isDiskFull(error)) return true;
  return isUnavailable(error) && !OF_ONE_STATEMENT.has((error as { code?: unknown }).code);
}

/** Whether PostgreSQL refuses connections until an operator has changed something: TLS, role, password, pg_hba.conf, database. */
export function isRefused(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === 'tls' || (typeof code === 'string' && /^(28...|3D000)$/.test(code));
}

export function isReadOnly(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === READ_ONLY;
}

/** Code and first line of why a database is unavailable. Not for failures of other kinds: their messages may hold values. */
export function describeCause(error: unknown): string {
  const root = error instanceof DatabaseFailure && error.cause !== undefined ? error.cause : error;
  // A name with several addresses fails with one error for each of them.
  const { code, message } = (root instanceof AggregateError ? root.errors[0] : root) as {
    code?: string;
    message: string;
  };
  const [line] = message.split('\n');
  return code === undefined ? `${line}` : `${code}: ${line}`;
}

/**
 * For the log: the code of an outage, with the first line of what PostgreSQL or SQLite says about it. A refused login names account
 * and address, and an error of the system names address or file. Only their code is returned.
 */
export function describeOutage(error: Error): string {
  const root = error instanceof DatabaseFailure && error.cause instanceof Error ? error.cause : error;
  const { code } = root as { code?: unknown };
  const isSafe = code === undefined || root instanceof DatabaseFailure || isSqliteError(root) || 'severity' in root;
  return isSafe && !isRefused(root) ? describeCause(root) : String(code);
}

/** DATABASE_URL stands for the setting that names the database. */
const REFUSALS: Record<string, string> = {
  '28000':
    'PostgreSQL does not let the account of DATABASE_URL in: the role must exist and have the right to log in, and pg_hba.conf needs a line for ' +
    'role, database and this machine. If that line says hostssl, the address needs sslmode.',
  '28P01': 'PostgreSQL refused the login; check user and password in DATABASE_URL.',
  '3D000': 'The database that DATABASE_URL names does not exist; create it first (createdb).',
  [READ_ONLY]:
    'The database is read-only: a fail-over is under way, DATABASE_URL leads to a standby, or default_transaction_read_only is on.',
};

/** A sentence for what PostgreSQL refuses until its operator has changed something. `setting` is the one that names the database. */
export function describeRefusal(error: unknown, setting = 'DATABASE_URL'): string | undefined {
  return findRefusal(error)?.replace('DATABASE_URL', setting);
}

function findRefusal(error: unknown): string | undefined {
  if (error instanceof DatabaseFailure && error.code === 'tls') return error.message;
  // PostgreSQL's own sentence names a table or a schema, and never a value.
  if (lacksRight(error)) {
    return `PostgreSQL refused: ${error.message}. Give the account of DATABASE_URL the rights in docs/deployment.md (PostgreSQL).`;
  }
  const { code } = (error ?? {}) as { code?: unknown };
  return REFUSALS[String(code)];
}

const [LOCK_TIMEOUT, DEADLOCK] = ['55P03', '40P01'];

/** Whether PostgreSQL gave up waiting for what somebody else holds, or found that the two wait for each other. */
export function isLockedOut(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === LOCK_TIMEOUT || code === DEADLOCK;
}

const INSUFFICIENT_PRIVILEGE = '42501';

/** Whether PostgreSQL refused because the account lacks a right. */
export function lacksRight(error: unknown): error is Error {
  return error instanceof Error && (error as { code?: unknown }).code === INSUFFICIENT_PRIVILEGE;
}

/** For the operator; the database answers, and nobody should look for a fault in it. */
export const LOCKED_OUT =
  'Somebody else held what was needed in the database for too long: a backup, a migration or a long query. Wait until that is done, then try again.';

const MISSING_REFERENCE_SQLSTATE = '23503';
const MISSING_REFERENCE_SQLITE = 787;

/** Whether a row could not be written because the one that it belongs to is gone. */
export function isMissingReference(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  return code === MISSING_REFERENCE_SQLSTATE || (code === 'ERR_SQLITE_ERROR' && errcode === MISSING_REFERENCE_SQLITE);
}
