// Lifetimes of signing keys, their set and signatures.

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Time that verifiers may cache the public keys. */
export const KEY_SET_MAX_AGE_SECONDS = 300;
/** Time from publication to the first signature, many times longer than verifiers cache the set. */
export const PUBLISHED_AHEAD_MS = HOUR_MS;
/** Lifetime of a signed result. Customers act at once, and can request it again while the service has it. */
export const RESULT_LIFETIME_MS = HOUR_MS;
/** Lifetime of filed signatures: evidence, and deletion receipts. */
export const LASTING_LIFETIME_MS = 400 * DAY_MS;
/** Time that a process with a slow clock may go on signing with the previous key. */
export const CLOCK_GRACE_MS = HOUR_MS;
/** Age from which the doctor recommends a rotation. */
export const OLD_KEY_MS = 400 * DAY_MS;
