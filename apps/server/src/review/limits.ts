// Limits of review: how long comments and how large pages are.

export const MAX_COMMENT_LENGTH = 2_000;
export const PAGE_SIZE = 50;
/** What waits beyond it is said to be more: nobody works through as many in a day, and ten times as many took ten times as long to count. */
export const COUNTED_UP_TO = 1_000;
