// Decides again when another call was first: every change is written only if what it was decided on still holds.

import { ConflictError } from '../../platform/base/errors.ts';
import type { Database } from '../../platform/database/database.ts';
import { overtakenTooOften } from './refusals.ts';

/** Calls of one session that get in each other's way are few: a device sends one after the other. */
const MAX_TRIES = 8;

/** `work` reads, decides and writes; it throws `ConflictError` when what it read is no longer true. */
export async function untilNotOvertaken<T>(database: Database, work: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      await untilWritten(database);
    }
  }
  throw overtakenTooOften();
}

/**
 * On SQLite writers share a commit, so that the change that was first may not be readable yet; an empty transaction ends
 * no sooner than it is. On PostgreSQL a write waits for the one that was first, so that it is readable already, and this
 * only costs a round trip.
 */
function untilWritten(database: Database): Promise<void> {
  return database.transact(async () => {});
}
