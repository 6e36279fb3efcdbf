// Limits of strings. How many there may be, and how long one may be: settings and STRING_MAX_CODE_POINTS of the contract.
import { STRING_MAX_CODE_POINTS } from '@limen/contract';

/** The longest value with every code point written as a pair of \uXXXX escapes, and room around it. */
export const MAX_BODY_BYTES = STRING_MAX_CODE_POINTS * 12 + 4 * 1024;
/** Value bytes on one page; the row that reaches it is the last. */
export const MAX_PAGE_BYTES = 1024 * 1024;
