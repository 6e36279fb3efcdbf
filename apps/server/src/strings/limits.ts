// Limits of strings. Settings limit their number and size, the contract the length of a value and the strings of a page.
import { STRING_MAX_CODE_POINTS } from '@limen/contract';

/** Limit for the longest value with each code point as two \uXXXX escapes. */
export const MAX_BODY_BYTES = STRING_MAX_CODE_POINTS * 12 + 4 * 1024;
/** Value bytes on a page. The row that reaches the limit is the last. */
export const MAX_PAGE_BYTES = 1024 * 1024;
