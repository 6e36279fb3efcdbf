// Classifies errors of the database: unavailable (retry), out of room, refused, or a bug in our own
// query.

/**
 * SQLSTATEs of PostgreSQL: connection exceptions, resources, operator intervention, system errors, and failures that a retry may pass
 * (serialization, deadlock, lock timeout).
 */
const UNAVAILABLE_SQLSTATE = /^(08|53|57|58|25006|40001|40P01|55P03)/;
/** A write on a standby, or with `default_transaction_read_only`. It ends with the failover. */
export const READ_ONLY = '25006';
const UNAVAILABLE_SYSTEM = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN']);
const UNAVAILABLE_TEXT =
  /^(Connection terminated|timeout exceeded when trying to connect|There was an error establishing an SSL connection)/;
/** SQLite result codes: busy, I/O error, cannot open. */
const UNAVAILABLE_SQLITE = new Set([5, 10, 14]);
const DISK_FULL_SQLSTATE = '53100';
const DISK_FULL_SQLITE = 13;
/**
 * Serialization failures, deadlocks and timeouts, which concern one statement. The log shows its
 * origin.
 */
const OF_ONE_STATEMENT = new Set(['40001', '40P01', '55P03', '57014']);
const LOCKED_OUT_SQLSTATES = ['55P03', '40P01'];
const INSUFFICIENT_PRIVILEGE = '42501';
const MISSING_REFERENCE_SQLSTATE = '23503';
const MISSING_REFERENCE_SQLITE = 787;

/**
 * Code of our own failures. `full`: the disk is full and nothing was written. `lost`: the connection broke, and it is unknown whether the
 * query ran. `READ_ONLY` and `tls`: the connection was refused before the first query.
 */
type FailureCode = 'full' | 'lost' | 'tls' | typeof READ_ONLY;

export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

function readCodes(error: unknown): { code: string | undefined; sqlite: number | undefined } {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  const isSqlite = code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number';
  return { code: typeof code === 'string' ? code : undefined, sqlite: isSqlite ? errcode : undefined };
}

export function isDiskFull(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === 'full';
  const { code, sqlite } = readCodes(error);
  if (sqlite !== undefined) return (sqlite & 0xff) === DISK_FULL_SQLITE;
  return code === DISK_FULL_SQLSTATE || code === 'ENOSPC';
}

/** Whether a disk of this machine is full, not that of PostgreSQL. */
export function isOwnDiskFull(error: unknown): boolean {
  return isDiskFull(error) && readCodes(error).code !== DISK_FULL_SQLSTATE;
}

export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code !== 'full';
  if (isDiskFull(error) || !(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  const { code, sqlite } = readCodes(error);
  if (sqlite !== undefined) return UNAVAILABLE_SQLITE.has(sqlite & 0xff);
  if (code === undefined) return UNAVAILABLE_TEXT.test(error.message);
  return isRefused(error) || UNAVAILABLE_SYSTEM.has(code) || (code.length === 5 && UNAVAILABLE_SQLSTATE.test(code));
}

const connectionErrors = new WeakSet<object>();

/** Marks and returns an error of a connection to the database, whose code may be that of any other connection or file. */
export function markConnectionError<T>(error: T): T {
  if (error instanceof Error) connectionErrors.add(error);
  return error;
}

/**
 * Returns whether everything that needs the database fails alike until it recovers or has room.
 * False for other errors.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', sqlite } = readCodes(error);
  const isFromDatabase = error instanceof DatabaseError || sqlite !== undefined || connectionErrors.has(error);
  return isFromDatabase && (isDiskFull(error) || (isUnavailable(error) && !OF_ONE_STATEMENT.has(code)));
}

/** Whether PostgreSQL refuses connections until an operator changes something: TLS, role, password, pg_hba.conf, database. */
export function isRefused(error: unknown): boolean {
  return /^(tls|28...|3D000)$/.test(readCodes(error).code ?? '');
}

export function isReadOnly(error: unknown): boolean {
  return readCodes(error).code === READ_ONLY;
}

/** Returns code and first line of the cause of an outage. Messages of other errors may hold values. */
export function describeCause(error: unknown): string {
  const root = error instanceof DatabaseError && error.cause !== undefined ? error.cause : error;
  // A host name with several addresses fails with one error for each.
  const { code, message } = (root instanceof AggregateError ? root.errors[0] : root) as {
    code?: string;
    message: string;
  };
  const [line] = message.split('\n');
  return code === undefined ? `${line}` : `${code}: ${line}`;
}

/** Describes an outage for the log. Refused logins and system errors name accounts, addresses or files, so only their code is shown. */
export function describeOutage(error: Error): string {
  const root = error instanceof DatabaseError && error.cause instanceof Error ? error.cause : error;
  const { code } = root as { code?: unknown };
  const isOurs = root instanceof DatabaseError || readCodes(root).sqlite !== undefined;
  const isSafe = code === undefined || isOurs || 'severity' in root;
  return isSafe && !isRefused(root) ? describeCause(root) : String(code);
}

/** Sentences in which DATABASE_URL stands for the setting that names the database. */
const REFUSALS: Record<string, string> = {
  '28000':
    'PostgreSQL does not let the account of DATABASE_URL in: the role must exist and have the right to log in, and pg_hba.conf needs a line for ' +
    'role, database and this machine. If that line says hostssl, the address needs sslmode.',
  '28P01': 'PostgreSQL refused the login; check user and password in DATABASE_URL.',
  '3D000': 'The database that DATABASE_URL names does not exist; create it first (createdb).',
  [READ_ONLY]:
    'The database is read-only: a fail-over is under way, DATABASE_URL leads to a standby, or default_transaction_read_only is on.',
};

/** Returns a sentence for a refusal that an operator can fix. `setting` names the database. */
export function describeRefusal(error: unknown, setting = 'DATABASE_URL'): string | undefined {
  return findRefusal(error)?.replace('DATABASE_URL', setting);
}

function findRefusal(error: unknown): string | undefined {
  if (error instanceof DatabaseError && error.code === 'tls') return error.message;
  // PostgreSQL's message names a table or a schema, and never a value.
  if (lacksRight(error)) {
    return `PostgreSQL refused: ${error.message}. Give the account of DATABASE_URL the rights in docs/deployment.md (PostgreSQL).`;
  }
  return REFUSALS[readCodes(error).code ?? ''];
}

export function isLockedOut(error: unknown): boolean {
  return LOCKED_OUT_SQLSTATES.includes(readCodes(error).code ?? '');
}

export function lacksRight(error: unknown): error is Error {
  return error instanceof Error && readCodes(error).code === INSUFFICIENT_PRIVILEGE;
}

/** Explanation for the operator after a lock timeout, which is no fault of the database */
export const LOCKED_OUT =
  'Another connection held a database lock for too long, such as a backup, a migration or a long query. Wait until it ends, then try again.';

export function isMissingReference(error: unknown): boolean {
  const { code, sqlite } = readCodes(error);
  return code === MISSING_REFERENCE_SQLSTATE || sqlite === MISSING_REFERENCE_SQLITE;
}
