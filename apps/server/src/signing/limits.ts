// Limits of signing: how long keys, their set and signatures hold.

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** How long verifiers may keep the public keys. */
export const KEY_SET_MAX_AGE_SECONDS = 300;
/** A new key is published so long before it signs: many times longer than verifiers keep the set. */
export const PUBLISHED_AHEAD_MS = HOUR_MS;
/** Life of a signed result: results are acted on at once, and can be asked for again while the service has them. */
export const RESULT_LIFETIME_MS = HOUR_MS;
/** Life of a signature on what is filed: evidence, and receipts of deletions. */
export const LASTING_LIFETIME_MS = 400 * DAY_MS;
/** A process whose clock is behind signs so much longer with the key before. */
export const CLOCK_GRACE_MS = HOUR_MS;
/** From this age on the doctor asks for another one. */
export const OLD_KEY_MS = 400 * DAY_MS;
