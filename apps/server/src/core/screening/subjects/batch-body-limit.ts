// The limit on bodies that hold a batch of names.

const MIB = 1024 * 1024;
/** Allows a hundred subjects of 10 KB each. */
const OPEN_BYTES = MIB;
/** Allows a hundred subjects with every field filled. */
const CLOSED_BYTES = 8 * MIB;

/** Returns the limit in bytes. `closed` means that the caller's API key has been checked before the body is read. */
export function batchBodyLimit(closed: boolean): number {
  return closed ? CLOSED_BYTES : OPEN_BYTES;
}
