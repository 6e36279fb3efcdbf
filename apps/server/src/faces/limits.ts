// Limits of enrolled people and their faces.

/** Galleries of one customer. They are never deleted, and a caller can make up any number of model versions. */
export const MAX_GALLERIES = 1_000;
/** Enrollments that wait for one gallery: some seconds of work, and a few megabytes. */
export const MAX_WAITING_ENROLLMENTS = 1_024;

/** Concurrent token searches. They share the evaluator's threads; each has buffers of four megabytes per thread, and unsent rows. */
export const MAX_SEARCHES = 4;
/** Searches that wait. The last one still gets its turn within the minute of its challenge. */
export const MAX_WAITING_SEARCHES = 256;
export const MAX_WAITING_SEARCHES_OF_CUSTOMER = 64;

/** Space for 64 embeddings of 512 numbers in full length, encrypted. */
export const MAX_ENCRYPTED_NODE_BYTES = 1280 * 1024;
/** Far more than one embedding needs, so that an embedding that is too long gets a specific error. */
export const MAX_PLAIN_NODE_BYTES = 256 * 1024;

/** One line of an import of people. */
export const MAX_IMPORT_LINE_BYTES = 2 ** 20;
/** Import problems that are listed; further ones are only counted. */
export const MAX_IMPORT_PROBLEMS = 100;
/** Page size of the command line. */
export const DEFAULT_PEOPLE_LISTED = 50;
export const MAX_PEOPLE_LISTED = 1_000;

/**
 * Renewals after which a token is reported and stays out of blocks: each adds permanent noise, which counts twice in blocks. After
 * this many, a score errs by some 40 % more than at first. The token is still renewed, because it would be lost with its key.
 */
export const MAX_RENEWALS = 12;

/** Attempts before an enrollment counts as failed. */
export const ENROLL_ATTEMPTS = 3;

/** Returns a short delay, because a caller waits for the outcome. */
export function restAfterAttemptMs(attempt: number): number {
  return 100 * attempt;
}
