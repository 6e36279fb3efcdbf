// Kinds of attestations accepted as a proof of age, and their rules.

export type ProfileId = 'eu_age' | 'mdl';

/** COSE identifiers of RFC 9053. */
export type SignatureAlgorithm = 'ES256' | 'ES384' | 'ES512' | 'EdDSA';

export interface Profile {
  id: ProfileId;
  docType: string;
  namespace: string;
  /** `age_over_NN` elements of an attestation, ascending. */
  ages: readonly number[];
  /** Whether the wallet may respond with the next higher age that is true. */
  takesHigherAge: boolean;
  algorithms: readonly SignatureAlgorithm[];
  /** Whether the wallet may respond with a MAC instead of a signature. */
  takesDeviceMac: boolean;
  digestAlgorithms: readonly DigestAlgorithm[];
  /** Maximum time from `validFrom` to `validUntil`. Null if the profile sets no bound. */
  maxValidityDays: number | null;
  /** Accepted extended key usages of the document signer's certificate. */
  signerUses: readonly string[];
  protocols: readonly Protocol[];
  linkScheme: 'av' | 'openid4vp';
  /** Whether responses by OpenID4VP are encrypted by default. Responses by Annex C always are. */
  encryptsAnswers: boolean;
}

export type DigestAlgorithm = 'SHA-256' | 'SHA-384' | 'SHA-512';

/**
 * The first three use the browser's Digital Credentials API under these names. The last two are
 * links, opened on the same device or shown as a QR code.
 */
export type Protocol =
  | 'org-iso-mdoc'
  | 'openid4vp-v1-unsigned'
  | 'openid4vp-v1-signed'
  | 'redirect-unsigned'
  | 'redirect-signed';

const MDL_SIGNER = '1.0.18013.5.1.2';
/** Extended key usage of the European reference issuers, in place of the one above. */
const EUDI_SIGNER = '1.3.130.2.0.0.1.2';

export const PROFILES: Readonly<Record<ProfileId, Profile>> = {
  eu_age: {
    id: 'eu_age',
    docType: 'eu.europa.ec.av.1',
    namespace: 'eu.europa.ec.av.1',
    ages: [18, 21],
    takesHigherAge: false,
    algorithms: ['ES256'],
    takesDeviceMac: false,
    digestAlgorithms: ['SHA-256'],
    // Any three months.
    maxValidityDays: 92,
    signerUses: [MDL_SIGNER, EUDI_SIGNER],
    protocols: ['org-iso-mdoc', 'redirect-unsigned'],
    linkScheme: 'av',
    // Its Annex A allows only `direct_post`.
    encryptsAnswers: false,
  },
  mdl: {
    id: 'mdl',
    docType: 'org.iso.18013.5.1.mDL',
    namespace: 'org.iso.18013.5.1',
    // Any NN from 0 to 99 is allowed. Issuers use 18, 21 and 65.
    ages: [18, 21, 65],
    // ISO/IEC 18013-5:2021, 7.2.5: if it does not have the exact one.
    takesHigherAge: true,
    algorithms: ['ES256', 'ES384', 'ES512', 'EdDSA'],
    takesDeviceMac: true,
    digestAlgorithms: ['SHA-256', 'SHA-384', 'SHA-512'],
    maxValidityDays: null,
    signerUses: [MDL_SIGNER],
    protocols: ['org-iso-mdoc', 'openid4vp-v1-unsigned', 'openid4vp-v1-signed', 'redirect-unsigned', 'redirect-signed'],
    linkScheme: 'openid4vp',
    encryptsAnswers: true,
  },
};

export function isProfileId(value: unknown): value is ProfileId {
  return typeof value === 'string' && Object.hasOwn(PROFILES, value);
}

/** Returns the smallest age at or above the threshold that the profile has, or null. */
export function findAgeFor(profile: Profile, threshold: number): number | null {
  return profile.ages.find((age) => age >= threshold) ?? null;
}

export function nameElement(age: number): string {
  return `age_over_${String(age).padStart(2, '0')}`;
}
