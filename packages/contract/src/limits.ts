// Limits of JSON bodies, files and webhooks that the service and its pages share. This file has no dependencies.

/** Unknown fields that one object may have. They are ignored, so no client needs more. */
export const UNKNOWN_FIELDS_MAX = 200;
/**
 * Object members and array elements that one JSON body may have, on all levels together. The largest honest body is a list of
 * 64 encrypted embeddings of 512 numbers each.
 */
export const JSON_MEMBERS_MAX = 50_000;
/** Levels of nesting that one JSON body may have. */
export const JSON_DEPTH_MAX = 200;

/** Size of a CSV file to screen. */
export const SCREENING_FILE_MAX_BYTES = 2_097_152;

/** Time from the first to the last attempt of a webhook, rounded. */
export const WEBHOOK_RETRY_HOURS = 18;
