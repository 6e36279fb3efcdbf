// Limits of sessions: how long codes and links live, and how many or how large things may be.

export { HANDOFF_CODE_TTL_MS } from '@limen/contract';
export const MAX_HANDOFF_CODES = 20;
/** The device that opened the session, and one that it was handed to. */
export const MAX_DEVICES = 2;

/** Life of a link that a wallet answers. */
export const WALLET_LINK_TTL_MS = 5 * 60_000;
/** The largest answer that the verifier looks at, and what is around it. */
export const MAX_WALLET_ANSWER_BYTES = 160 * 1024;

/** Time in which a person can make an age key after a session. Later, someone else may sit at the open page. */
export const AGE_KEY_OFFER_TTL_MS = 10 * 60_000;
/** Time in which the options to delete an age key can be answered. */
export const AGE_KEY_DELETION_TTL_MS = 5 * 60_000;

/** Passkey options of one session. They cost nothing, but are limited all the same. */
export const MAX_PASSKEY_ATTEMPTS = 12;
/** Challenges of one session. Each try may lose one or two to a bad network; an honest page needs no more. */
export const MAX_FACE_CHALLENGES = 12;

/** Vouched devices and passkeys of one person. The least recently used one is dropped. */
export const MAX_VOUCHED = 20;
/** Devices and passkeys that no host vouched for. Anyone with a photograph can add them, so they displace only this few. */
export const MAX_UNVOUCHED = 3;

/** A whole step log with room to spare. */
export const MAX_DEVICE_JSON_BYTES = 16 * 1024;
/** More than an answer has, so that an answer of the wrong size gets a refusal that says so. */
export const MAX_DEVICE_ANSWER_BYTES = 4_096;
