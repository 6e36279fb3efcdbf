// Limits of operations: how much a list shows, and how large a line of a backup may be.

/** More dead jobs than anyone reads at once: in the command line, and in the console. */
export const MAX_LISTED_JOBS = 500;
export const MAX_DEAD_JOBS = 100;
/** Error codes that the overview of the console names. */
export const MAX_CODES = 12;
/** More than any row of a backup has. */
export const MAX_BACKUP_LINE_BYTES = 64 * 2 ** 20;
