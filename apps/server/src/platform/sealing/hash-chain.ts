// How the lines of a log hold on to each other: each carries the hash of the one before it, and a day's lines belong together.
import { createHash } from 'node:crypto';

/** What the first line of all holds on to. */
export const CHAIN_START = '0'.repeat(64);

export function hashLine(line: string): string {
  return createHash('sha256').update(line).digest('hex');
}

/** UTC, as 2026-01-31. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
