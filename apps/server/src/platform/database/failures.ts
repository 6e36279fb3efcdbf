// Tells a database that cannot answer now (try again), or has no room, from a fault in our own query.

/**
 * PostgreSQL: connection exceptions, resources, operator intervention, system errors; and what a second try gets past:
 * serialization failures, deadlocks, a lock that was not to be had in time.
 */
const UNAVAILABLE_SQLSTATE = /^(08|53|57|58|40001|40P01|55P03)/;
const UNAVAILABLE_SYSTEM = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN']);
/** pg reports these without a code. */
const UNAVAILABLE_TEXT = /^(Connection terminated|timeout exceeded when trying to connect)/;
/** SQLite result codes: busy, I/O error, cannot open. */
const UNAVAILABLE_SQLITE = new Set([5, 10, 14]);

/**
 * What we find out ourselves. `full`: the disk is, and nothing was written. `lost`: the connection is gone before the query was
 * answered; whether it was carried out, nobody knows.
 */
export class DatabaseFailure extends Error {
  override readonly name = 'DatabaseFailure';
  readonly code: 'full' | 'lost';

  constructor(code: 'full' | 'lost', message: string, options?: ErrorOptions) {
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
  if (error instanceof DatabaseFailure) return error.code === 'lost';
  if (isDiskFull(error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (code === 'ERR_SQLITE_ERROR') {
    return typeof errcode === 'number' && UNAVAILABLE_SQLITE.has(errcode & 0xff);
  }
  if (typeof code === 'string') {
    return UNAVAILABLE_SYSTEM.has(code) || (code.length === 5 && UNAVAILABLE_SQLSTATE.test(code));
  }
  return UNAVAILABLE_TEXT.test(error.message);
}

const [LOCK_TIMEOUT, DEADLOCK] = ['55P03', '40P01'];

/** Whether PostgreSQL gave up waiting for what somebody else holds, or found that the two wait for each other. */
export function isLockedOut(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === LOCK_TIMEOUT || code === DEADLOCK;
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
