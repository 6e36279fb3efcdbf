// Limits of screening: files, forms, batches, lists, replies and waits. The maximum size of a file is in the contract.

const MIB = 1024 * 1024;

/** Memory of all files in progress. A typical full file takes about 9 MB while it is screened, then 3 MB. */
export const MAX_BYTES_OF_FILES = 256 * MIB;
/** About 64 KiB of typical rows with the maximum number of hits: about 200 such files at a time. */
export const SMALL_FILE_BYTES = 320 * 1024;

/** Form around an uploaded file: boundaries, part headers and other fields. */
export const MAX_FORM_BYTES = 256 * 1024;
export const MAX_FORM_FIELDS = 20;

export const MAX_HEADER_BYTES = 64 * 1024;
/** A quote that is never closed would otherwise read the whole file into memory. */
export const MAX_ROW_BYTES = 16 * MIB;
/** Values of one cell, and characters of each value: bounds the cost of a crafted row. */
export const MAX_CELL_VALUES = 20;
export const MAX_CELL_VALUE_LENGTH = 500;

/** Values of the entity in a match. */
export const MAX_SHOWN_OF_MATCH = { addresses: 20, positions: 20, identifiers: 50, referents: 50 } as const;
/** Whole entity: values of each kind, and characters of all kinds together. */
export const MAX_SHOWN_VALUES = 100;
export const MAX_SHOWN_CHARACTERS = 20_000;

/** Values of one property in a query of yente’s API. */
export const MAX_PROPERTY_VALUES = 20;
/** Maximum number of counted results, independent of a query’s limit. */
export const MAX_COUNTED_RESULTS = 500;
/** Results for all queries of one call together. */
export const MAX_RESULTS_PER_CALL = 5_000;
/** Characters of entity values per reply: a thousand entities of the maximum size. */
export const MAX_REPLY_CHARACTERS = 20_000_000;
/** Entities that a search finds, counts and sorts. Later pages are empty. */
export const SEARCH_WINDOW = 1_000;

/** Must be less than a minute, after which idle connections are closed. */
export const REPLY_WITHIN_MS = 45_000;

/** Minimum pace of a reader: 17 KB a second. */
export const SLOWEST_READER_BYTES = 512 * 1024;
export const SLOWEST_READER_MS = 30_000;
/** Maximum wait for a reader, in multiples of SLOWEST_READER_MS: a quarter of an hour. */
export const MAX_READER_WAITS = 30;

export const MAX_IMPORT_BYTES = 64 * MIB;
export const MAX_IMPORT_RECORD_BYTES = 256 * 1024;
/** Problems of an import that are listed. */
export const MAX_IMPORT_PROBLEMS = 100;
export const MAX_IMPORT_COLUMNS = 200;
/** Watched subjects of one customer in the test world: at most a tenth of the default in the live world. */
export const MAX_TEST_SUBJECTS = 100_000;

/** Maximum history of signed evidence, which has to be in memory. */
export const MAX_SIGNED_ENTRIES = 10_000;
/** Longer than webhooks are retried, with time to request one again. */
export const ALERT_BODY_TTL_MS = 7 * 24 * 60 * 60 * 1000;

/** Larger than any list, and small enough for the disk of a server. */
export const MAX_LIST_BYTES = 16 * 1024 * MIB;
export const MAX_LIST_INDEX_BYTES = 32 * MIB;
export const MAX_LIST_DELTA_BYTES = 1024 * MIB;

/** Console: rows of a page, and matches of one search. */
export const PAGE_SIZE = 50;
export const MAX_MATCHES = 20;

/** Returns the limit in bytes for a hundred subjects: with every field if API keys are required, otherwise of 10 KB each. */
export function batchBodyLimit(closed: boolean): number {
  return closed ? 8 * MIB : MIB;
}
