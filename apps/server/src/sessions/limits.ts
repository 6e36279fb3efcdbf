// Limits of sessions: how long codes and links live, and how many or how large things may be.
import { METADATA_MAX_BYTES } from '@limen/contract';

export { HANDOFF_CODE_TTL_MS } from '@limen/contract';
export const MAX_HANDOFF_CODES = 20;
/** The device that opened the session, and one that it was handed to. */
export const MAX_DEVICES = 2;

export const WALLET_LINK_TTL_MS = 5 * 60_000;
export const MAX_WALLET_ANSWER_BYTES = 160 * 1024;

/** Time in which a person can make an age key after a session. Later, someone else may sit at the open page. */
export const AGE_KEY_OFFER_TTL_MS = 10 * 60_000;
export const AGE_KEY_DELETION_TTL_MS = 5 * 60_000;

/** Passkey options of one session. They cost nothing, but are limited all the same. */
export const MAX_PASSKEY_ATTEMPTS = 12;
/** Challenges of one session. Each try may lose one or two to a bad network; an honest page needs no more. */
export const MAX_FACE_CHALLENGES = 12;

/** Vouched devices and passkeys of one person. The least recently used one is dropped. */
export const MAX_VOUCHED = 20;
/** Devices and passkeys that no host vouched for. Anyone with a photograph can add them, so they displace only this few. */
export const MAX_UNVOUCHED = 3;

export const MAX_DEVICE_JSON_BYTES = 16 * 1024;
/** More than an answer has, so that a refusal can name the wrong size. */
export const MAX_DEVICE_ANSWER_BYTES = 4_096;

/** Room for metadata that is too large, so that a refusal can say so, and for headers with every character escaped. */
export const MAX_AGE_SESSION_BODY_BYTES = METADATA_MAX_BYTES * 6 + 160 * 1024;
export const MAX_VERIFICATION_BODY_BYTES = 160 * 1024;
export const MAX_AGE_KEY_BODY_BYTES = 64 * 1024;
/** Most age keys that are made in an hour, per API key and per client address. */
export const AGE_KEYS_PER_HOUR = { api_key: 1_000, address: 10 } as const;
/** Calls of wallets from one address: enough for many people behind it, too few to try ids. */
export const WALLET_CALLS = { perSecond: 5, burst: 50 };
export const MAX_STATUS_LIST_BYTES = 4 * 1024 * 1024;
export const MAX_TRUST_LIST_BYTES = 32 * 1024 * 1024;
export const MAX_WATCHERS = 1_000;

/** Limits of the console: rows of a page, deliveries that are counted, and deliveries of one session. */
export const PAGE_SIZE = 50;
export const COUNTED_UP_TO = 10_000;
export const MAX_DELIVERIES = 50;
/** Deliveries resent by one call. The page calls again for the next ones. */
export const MAX_RESENT = 50;
