// Limits of operations.

/** Dead jobs in a list of the command line, and of the console */
export const MAX_LISTED_JOBS = 500;
export const MAX_DEAD_JOBS = 100;
/** Error codes in the overview of the console */
export const MAX_CODES = 12;
/** Bytes that no row of a backup reaches */
export const MAX_BACKUP_LINE_BYTES = 64 * 2 ** 20;
