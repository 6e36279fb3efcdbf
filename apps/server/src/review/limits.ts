// Limits of review: the length of comments and the size of pages.

export const MAX_COMMENT_LENGTH = 2_000;
export const PAGE_SIZE = 50;
/** The page does not count further, because counting ten times as many cases took ten times as long. */
export const COUNTED_UP_TO = 1_000;
