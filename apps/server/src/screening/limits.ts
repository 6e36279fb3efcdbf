// Limits of screening: files, forms, batches of subjects, and how long a caller or a reader is waited for.
// The size of one file is part of the contract: SCREENING_FILE_MAX_BYTES.

const MIB = 1024 * 1024;

/** All files in progress with everything that is kept of them. A usual full file takes about 9 MB while it is screened, then 3 MB. */
export const MAX_BYTES_OF_FILES = 256 * MIB;
/** About 64 KiB of usual rows with the most that can be found for them: about 200 such files at a time. */
export const SMALL_FILE_BYTES = 320 * 1024;

/** The form around an uploaded file: boundaries, part headers and other fields. */
export const MAX_FORM_BYTES = 256 * 1024;
export const MAX_FORM_FIELDS = 20;

/** A batch of subjects before the API key was checked: a hundred subjects of 10 KB each. */
export const MAX_OPEN_BATCH_BYTES = MIB;
/** A batch of subjects of a caller whose API key was checked: a hundred subjects with every field filled. */
export const MAX_BATCH_BYTES = 8 * MIB;
/** A connection without data for a minute is cut, so the reply must come before. */
export const REPLY_WITHIN_MS = 45_000;

/** Slowest reading that is served: this many bytes in SLOWEST_READER_MS, 17 KB a second. */
export const SLOWEST_READER_BYTES = 512 * 1024;
export const SLOWEST_READER_MS = 30_000;
/** Maximum wait for a steady reader, in multiples of SLOWEST_READER_MS: a quarter of an hour. */
export const MAX_READER_WAITS = 30;

/** An import of watched subjects. */
export const MAX_IMPORT_BYTES = 64 * MIB;
/** One record of an import: more than any subject has. */
export const MAX_IMPORT_RECORD_BYTES = 256 * 1024;
/** Watched subjects of one customer in the test world: at most a tenth of the default of the live one. */
export const MAX_TEST_SUBJECTS = 100_000;

/** Returns the limit in bytes. `closed` means that the caller's API key has been checked before the body is read. */
export function batchBodyLimit(closed: boolean): number {
  return closed ? MAX_BATCH_BYTES : MAX_OPEN_BATCH_BYTES;
}
