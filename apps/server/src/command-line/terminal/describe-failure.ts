// Describes any failure in one sentence. A driver's own message is never shown, because it may hold values.
import {
  describeCause,
  describeRefusal,
  isDiskFull,
  isLockedOut,
  isUnavailable,
  LOCKED_OUT,
} from '../../platform/base/database-failures.ts';
import { StartError } from '../../platform/base/errors.ts';
import { CommandError } from '../command.ts';

const NOT_PERMITTED =
  'Permission denied: run the command as the user that the server runs as, or check the owner of DATA_DIR.';
const BY_CODE: Record<string, string> = {
  EACCES: NOT_PERMITTED,
  EPERM: NOT_PERMITTED,
  EROFS: 'DATA_DIR is on a read-only file system.',
  ENOTDIR: 'A part of the path in DATA_DIR is a file, not a folder.',
  EEXIST: 'DATA_DIR is a file, not a folder.',
};

const BY_SQLITE_CODE: Record<number, string> = {
  5: 'The database is busy: another process held it for too long. Try again.',
  8: 'The database file is read-only; check its owner and permissions.',
  10: 'The disk reported an input/output error.',
  11: 'The database file is damaged; restore a backup.',
  14: 'The database file cannot be opened; check its owner and permissions, and those of DATA_DIR.',
  26: 'The database file is not an SQLite database; restore a backup.',
};

export function describeFailure(error: unknown, setting = 'DATABASE_URL'): string {
  if (error instanceof StartError || error instanceof CommandError) return error.message;
  return describe(error).replace('DATABASE_URL', setting);
}

function describe(error: unknown): string {
  if (isDiskFull(error)) return 'The database’s disk is full. Make room on it, or delete what you no longer need.';
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  const known = typeof errcode === 'number' ? BY_SQLITE_CODE[errcode & 0xff] : BY_CODE[String(code)];
  const refusal = known ?? describeRefusal(error);
  if (refusal !== undefined) return refusal;
  if (isLockedOut(error)) return LOCKED_OUT;
  if (isUnavailable(error))
    return `The database does not answer; check DATABASE_URL and that the server is running (${describeCause(error)}).`;
  const facts = [error instanceof Error ? error.name : typeof error, code, errcode].filter(
    (fact) => fact !== undefined,
  );
  return `An unexpected failure ended the command (${facts.join(', ')}).`;
}
