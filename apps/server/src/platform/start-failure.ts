// Describes a failed start for the operator.
import { describeCause, describeRefusal, isUnavailable } from './base/database-failures.ts';
import { describeForLog, StartError } from './base/errors.ts';

/** Returns a sentence for failures that an operator can fix, and the stack of others. `prefix` begins the names of the settings. */
export function describeStartFailure(error: unknown, prefix = ''): string {
  if (error instanceof StartError) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  const { port, address } = error as { port?: number; address?: string };
  if (code === 'EADDRINUSE') return `Port ${port} is already in use; stop the other process or set ${prefix}PORT.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `${prefix}HOST is not an address of this machine${address ? ` (${address})` : ''}; localhost is this machine only, 0.0.0.0 all its addresses.`;
  }
  if (code === 'EEXIST' || code === 'ENOTDIR')
    return `${prefix}DATA_DIR is not a folder; name a folder or a place for one.`;
  if (code === 'EACCES') return `Permission denied: check ${prefix}DATA_DIR and ${prefix}PORT.`;
  if (cannotOpenFile(error)) {
    return `The database file cannot be opened: check that ${prefix}DATA_DIR, and every file in it, can be written by the user that the service runs as.`;
  }
  const refusal = describeRefusal(error, `${prefix}DATABASE_URL`);
  if (refusal !== undefined) return refusal;
  if (isUnavailable(error)) {
    return `The database cannot be used anymore (${describeCause(error)}); start again once it is back.`;
  }
  // Nothing personal was read yet, and messages never hold the connection string.
  const message = error instanceof Error ? error.message : String(error);
  return `The start failed: ${message}\n${JSON.stringify(describeForLog(error), null, 2)}`;
}

/** Whether the folder belongs to another user or is read-only. */
function cannotOpenFile(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' && [8, 14].includes(errcode & 0xff);
}
