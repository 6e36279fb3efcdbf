// Limits of screening: files, forms, batches of subjects, lists, replies, and how long a caller or a reader is waited for.
// The size of one file is part of the contract: SCREENING_FILE_MAX_BYTES.

const MIB = 1024 * 1024;

/** All files in progress with everything that is kept of them. A usual full file takes about 9 MB while it is screened, then 3 MB. */
export const MAX_BYTES_OF_FILES = 256 * MIB;
/** About 64 KiB of usual rows with the most that can be found for them: about 200 such files at a time. */
export const SMALL_FILE_BYTES = 320 * 1024;

/** The form around an uploaded file: boundaries, part headers and other fields. */
export const MAX_FORM_BYTES = 256 * 1024;
export const MAX_FORM_FIELDS = 20;

/** Anything longer is not a header row. */
export const MAX_HEADER_BYTES = 64 * 1024;
/** No person's row is longer; a quote that is never closed would otherwise read the whole file into memory. */
export const MAX_ROW_BYTES = 16 * MIB;
/** Values of one cell, and characters of each: what a crafted row costs grows with them. */
export const MAX_CELL_VALUES = 20;
export const MAX_CELL_VALUE_LENGTH = 500;

/** Values of the entity in a match. */
export const MAX_SHOWN_OF_MATCH = { addresses: 20, positions: 20, identifiers: 50, referents: 50 } as const;
/** A whole entity: values of each kind, and characters of all kinds together. */
export const MAX_SHOWN_VALUES = 100;
export const MAX_SHOWN_CHARACTERS = 20_000;

/** Values of one property in a query of yente’s API, because a query with more values costs more. */
export const MAX_PROPERTY_VALUES = 20;
/** Results that are counted. The limit of a query does not change this. */
export const MAX_COUNTED_RESULTS = 500;
/** Results for all queries of one call together. */
export const MAX_RESULTS_PER_CALL = 5_000;
/** Maximum characters of entity values per reply: a thousand entities of the largest size shown. */
export const MAX_REPLY_CHARACTERS = 20_000_000;
/** Entities that a search finds, counts and sorts. A page behind them is empty. */
export const SEARCH_WINDOW = 1_000;

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
/** Lines of an import that are named; the others are counted. */
export const MAX_IMPORT_PROBLEMS = 100;
/** More columns than any file of subjects has. */
export const MAX_IMPORT_COLUMNS = 200;
/** Watched subjects of one customer in the test world: at most a tenth of the default of the live one. */
export const MAX_TEST_SUBJECTS = 100_000;

/** A longer history is not signed: a signature is made over one piece, which has to be in memory. */
export const MAX_SIGNED_ENTRIES = 10_000;
/** Longer than a webhook is tried for, and time to ask for it again. */
export const ALERT_BODY_TTL_MS = 7 * 24 * 60 * 60 * 1000;

/** A list: larger than the largest there is, and small enough for the disk of a server. */
export const MAX_LIST_BYTES = 16 * 1024 * MIB;
export const MAX_LIST_INDEX_BYTES = 32 * MIB;
export const MAX_LIST_DELTA_BYTES = 1024 * MIB;

/** The console: rows of a page, and matches of one search. */
export const PAGE_SIZE = 50;
export const MAX_MATCHES = 20;

/** Returns the limit in bytes. `closed` means that the caller's API key has been checked before the body is read. */
export function batchBodyLimit(closed: boolean): number {
  return closed ? MAX_BATCH_BYTES : MAX_OPEN_BATCH_BYTES;
}
