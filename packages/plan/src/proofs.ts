// Proofs that replace the check of an age session, and their strength.

/** Proofs in the order in which they are offered, fastest first. */
export const PROOFS = ['age_key', 'wallet'] as const;
export type Proof = (typeof PROOFS)[number];

/** Checks behind an age key, weakest first. `document_and_face`: at our default threshold. */
export const AGE_METHODS = ['face', 'document', 'document_and_face', 'wallet'] as const;
export type AgeMethod = (typeof AGE_METHODS)[number];

/** Basis of a result. */
export const AGE_SOURCES = ['face', 'document', 'wallet', 'age_key'] as const;
export type AgeSource = (typeof AGE_SOURCES)[number];

/** Default maximum age of a key in days, counted from the first of the month of its check. */
export const AGE_KEY_DEFAULT_DAYS = 90;
/** Absolute maximum in days, after which a key is deleted. */
export const AGE_KEY_MAX_DAYS = 365;
/** Accepted uses of a key per day (UTC). */
export const AGE_KEY_DAILY_USES = 10;
/** Attempts with an age key per session, and attempts to create one per offer. */
export const AGE_KEY_TRIES = 6;

/**
 * Reasons to refuse a key. `not_known`: deleted, expired, of the other world, of an unrelated
 * customer, or no age key. `too_old`, `too_weak`, `too_low`: the host requires more. `not_valid`:
 * no valid signature for this session.
 */
export const AGE_KEY_REFUSALS = ['not_known', 'too_old', 'too_weak', 'too_low', 'too_often', 'not_valid'] as const;
export type AgeKeyRefusal = (typeof AGE_KEY_REFUSALS)[number];

export const WALLET_TRIES = 6;

/**
 * Reasons to refuse a wallet's answer. `declined`: by the person or wallet. `no_age`: it does not
 * prove the age. `not_trusted`: untrusted issuer. `ended`: expired or revoked. `not_valid`: no
 * answer to this session's request, or the revocation status is unavailable.
 */
export const WALLET_REFUSALS = ['declined', 'no_age', 'not_trusted', 'ended', 'not_valid'] as const;
export type WalletRefusal = (typeof WALLET_REFUSALS)[number];

export function isStrongEnough(method: AgeMethod, weakest: AgeMethod): boolean {
  return AGE_METHODS.indexOf(method) >= AGE_METHODS.indexOf(weakest);
}
