// The limit on bodies that hold a batch of names.
import { MAX_BATCH_BYTES, MAX_OPEN_BATCH_BYTES } from '../limits.ts';

/** Returns the limit in bytes. `closed` means that the caller's API key has been checked before the body is read. */
export function batchBodyLimit(closed: boolean): number {
  return closed ? MAX_BATCH_BYTES : MAX_OPEN_BATCH_BYTES;
}
