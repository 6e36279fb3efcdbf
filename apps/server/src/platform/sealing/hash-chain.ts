// Hash chain of a log: each line carries the hash of the previous one.
import { createHash } from 'node:crypto';

/** Previous hash of the first line */
export const CHAIN_START = '0'.repeat(64);

export function hashLine(line: string): string {
  return createHash('sha256').update(line).digest('hex');
}

/** Returns a UTC day such as 2026-01-31. */
export function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
