// Limits of callbacks and webhooks. The waits between retries are part of the contract: WEBHOOK_RETRY_AFTER_MS. How long rows and
// bodies are kept are settings: DELIVERY_LOG_DAYS and RETENTION_HOURS.

export const MAX_CALLBACK_URL_LENGTH = 2_048;
export const MAX_CALLBACK_HEADERS = 50;
export const MAX_CALLBACK_HEADER_BYTES = 8 * 1024;

export const MAX_IN_FLIGHT = 256;
/** Bytes of a reply that are read, only to reuse the connection. */
export const MAX_REPLY_BYTES = 16 * 1024;
/** Latest attempts that the log of one delivery keeps. A round has eight, and an operator can start more rounds. */
export const MAX_KEPT_TRIES = 40;
/** Body that `limen listen` takes: larger than a result with the largest metadata, or the largest picture. */
export const MAX_LISTENED_BODY_BYTES = 512 * 1024;
