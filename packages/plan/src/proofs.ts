// Proofs that people bring to an age session instead of a check: which there are, and what each is worth.

/** What a session may take in place of its own check, fastest first: the order in which they are offered. */
export const PROOFS = ['age_key', 'wallet'] as const;
export type Proof = (typeof PROOFS)[number];

/**
 * Checks that an age key can come from, weakest first. `document_and_face`: the live face matched the document's photo at or
 * above the service's default threshold, even if the session had a lower one.
 */
export const AGE_METHODS = ['face', 'document', 'document_and_face', 'wallet'] as const;
export type AgeMethod = (typeof AGE_METHODS)[number];

/** What a result rests on. */
export const AGE_SOURCES = ['face', 'document', 'wallet', 'age_key'] as const;
export type AgeSource = (typeof AGE_SOURCES)[number];

/** Days from the first of the month of its check: how old a key may be unless the host says otherwise. */
export const AGE_KEY_DEFAULT_DAYS = 90;
/** And at most: then it is deleted, whoever would still take it. */
export const AGE_KEY_MAX_DAYS = 365;
/** Accepted uses of one key in a day, UTC. */
export const AGE_KEY_DAILY_USES = 10;
/** How often a session asks for one, and how often an offer does for making one. */
export const AGE_KEY_TRIES = 6;

/**
 * Why a key was not taken. `not_known`: deleted, at its end, of the other world, of a customer whose keys do not count here, or
 * no age key. `too_old`, `too_weak` and `too_low`: the host asks for more. `not_valid`: what came was not its signature for this
 * session.
 */
export const AGE_KEY_REFUSALS = ['not_known', 'too_old', 'too_weak', 'too_low', 'too_often', 'not_valid'] as const;
export type AgeKeyRefusal = (typeof AGE_KEY_REFUSALS)[number];

/** How often a session asks for a wallet. */
export const WALLET_TRIES = 6;

/**
 * Why a wallet's answer was not taken. `declined`: the person or the wallet said no. `no_age`: it does not say that the age
 * is reached. `not_trusted`: nobody here vouches for its issuer. `ended`: the attestation is no longer valid, or was
 * revoked. `not_valid`: what came is not an answer to this session's request, or whether it was revoked cannot be found out now.
 */
export const WALLET_REFUSALS = ['declined', 'no_age', 'not_trusted', 'ended', 'not_valid'] as const;
export type WalletRefusal = (typeof WALLET_REFUSALS)[number];

export function isStrongEnough(method: AgeMethod, weakest: AgeMethod): boolean {
  return AGE_METHODS.indexOf(method) >= AGE_METHODS.indexOf(weakest);
}
