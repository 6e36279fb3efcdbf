// Limits that hold for JSON bodies on all routes.

/** Unknown fields that one object may have. They are ignored, so no client needs more. */
export const UNKNOWN_FIELDS_MAX = 200;
/**
 * Object members and array elements that one JSON body may have, on all levels together. The largest honest body is a list of
 * 64 encrypted embeddings of 512 numbers each.
 */
export const JSON_MEMBERS_MAX = 50_000;
/** Levels of nesting that one JSON body may have. */
export const JSON_DEPTH_MAX = 200;
