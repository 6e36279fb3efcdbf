// Limits of JSON bodies, files, handoffs and webhooks, shared by the service and its pages. No
// dependencies.

/** Maximum number of unknown fields in one object. They are ignored, so no client needs more. */
export const UNKNOWN_FIELDS_MAX = 200;
/**
 * Maximum number of object members and array elements in one JSON body, across all levels. The
 * largest legitimate body is a list of 64 encrypted embeddings of 512 numbers each.
 */
export const JSON_MEMBERS_MAX = 50_000;
/** Maximum nesting depth of one JSON body. */
export const JSON_DEPTH_MAX = 200;

/** Maximum size of a CSV file to screen. */
export const SCREENING_FILE_MAX_BYTES = 2_097_152;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const HANDOFF_CODE_TTL_MS = 5 * MINUTE_MS;

/** Waits after the first, second, … attempt of a webhook. */
export const WEBHOOK_RETRY_AFTER_MS = [
  5_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
] as const;
/** Time from the first to the last attempt of a webhook, rounded. */
export const WEBHOOK_RETRY_HOURS = Math.round(WEBHOOK_RETRY_AFTER_MS.reduce((sum, wait) => sum + wait, 0) / HOUR_MS);

const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Returns a lifetime in words for API descriptions: "five minutes". */
export function formatMinutes(ms: number): string {
  const minutes = ms / MINUTE_MS;
  return `${NUMBERS[minutes] ?? minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
}
