// All reasons to refuse a wallet's response, with the clause behind each check.
// docs/reference/wallet-refusals.md prints this table.

export interface Refusal {
  clause: string;
  meaning: string;
}

const ISO5 = 'ISO/IEC 18013-5:2021';
/** The second edition has other clause numbers. */
const ISO5_SECOND = 'ISO/IEC 18013-5, second edition';
const ANNEX_C = 'ISO/IEC 18013-7, Annex C';
const OPENID = 'OpenID4VP 1.0';
const PKIX = 'RFC 5280';
const STATUS_LIST = 'Token Status List';

export const REFUSALS = {
  // The response as received.
  declined: {
    clause: `${OPENID}, 8.5`,
    meaning: 'The wallet returned an error: the person declined, or the wallet has no such attestation.',
  },
  answer_malformed: {
    clause: `${OPENID}, 8.1; ${ANNEX_C}`,
    meaning: 'The response does not have the protocol’s format.',
  },
  answer_too_large: {
    clause: `${OPENID}, 8.1; ${ANNEX_C}`,
    meaning: 'The response is larger than any legitimate one.',
  },
  answer_not_encrypted: {
    clause: `${OPENID}, 8.3`,
    meaning: 'An encrypted response was requested, but it is not encrypted.',
  },
  answer_not_decryptable: {
    clause: `${ANNEX_C}; ${OPENID}, 8.3`,
    meaning: 'The response cannot be decrypted with this request’s key for this origin: it belongs to another request.',
  },
  cbor_malformed: {
    clause: `${ISO5}, 8.1; RFC 8949, 5.3`,
    meaning: 'Invalid CBOR, or CBOR with an indefinite length, an overlong number, a repeated key, or too many levels.',
  },

  // The device response.
  response_malformed: {
    clause: `${ISO5}, 8.3.2.1.2.2`,
    meaning: 'A part of the device response is missing or has the wrong type.',
  },
  response_version: {
    clause: `${ISO5}, 8.3.2.1.2.2`,
    meaning: 'The version of the device response is unknown.',
  },
  response_status: { clause: `${ISO5}, 8.3.2.1.2.3`, meaning: 'The wallet reports that it could not respond.' },
  document_missing: { clause: `${ISO5}, 8.3.2.1.2.2`, meaning: 'The response contains no document.' },
  document_repeated: {
    clause: `${ISO5}, 8.3.2.1.2.2`,
    meaning: 'The response contains more than the one requested document.',
  },
  doctype_unasked: {
    clause: `${ISO5}, 8.3.2.1.2.2`,
    meaning: 'The document type is not the requested one.',
  },

  // The issuer's certificates.
  certificate_missing: {
    clause: `${ISO5}, 9.1.2.4; RFC 9360, 2`,
    meaning: 'The signature contains no certificate, or too many.',
  },
  certificate_malformed: { clause: `${PKIX}, 4.1`, meaning: 'A certificate cannot be parsed.' },
  issuer_untrusted: {
    clause: `${ISO5}, 9.3.3; ${PKIX}, 6.1`,
    meaning: 'No configured anchor of this profile is the root of the issuer’s chain.',
  },
  certificate_names: {
    clause: `${PKIX}, 6.1.3 (a) (4)`,
    meaning: 'The issuer name of a certificate in the chain does not match the next certificate.',
  },
  certificate_signature: {
    clause: `${PKIX}, 6.1.3 (a) (1)`,
    meaning: 'A certificate in the chain has an invalid signature.',
  },
  certificate_dates: {
    clause: `${PKIX}, 6.1.3 (a) (2)`,
    meaning: 'A certificate in the chain is not valid yet, or has expired.',
  },
  certificate_not_authority: {
    clause: `${PKIX}, 6.1.4 (k)`,
    meaning: 'An issuing certificate is not that of an authority, or the document signer is an authority.',
  },
  certificate_path_length: {
    clause: `${PKIX}, 6.1.4 (l), (m)`,
    meaning: 'The chain is longer than an authority in it allows.',
  },
  certificate_key_usage: {
    clause: `${PKIX}, 6.1.4 (n); ${ISO5}, Table B.3`,
    meaning: 'A key in the chain was used for a purpose that its certificate does not allow.',
  },
  certificate_purpose: {
    clause: `${ISO5}, Table B.3`,
    meaning: 'The extended key usage of the certificate is not that of a document signer.',
  },
  certificate_critical_extension: {
    clause: `${PKIX}, 6.1.4 (o), 6.1.5 (f)`,
    meaning: 'A certificate has an unknown critical extension.',
  },
  certificate_revoked: {
    clause: `${PKIX}, 6.3.3 (i); ${ISO5}, 9.3.3`,
    meaning: 'The authority has revoked a certificate of the chain.',
  },
  crl_malformed: { clause: `${PKIX}, 5.1`, meaning: 'The certificate revocation list cannot be parsed.' },
  crl_issuer: {
    clause: `${PKIX}, 6.3.3 (b) (1)`,
    meaning: 'The certificate revocation list is not from the certificate’s authority.',
  },
  crl_key_usage: {
    clause: `${PKIX}, 6.3.3 (f)`,
    meaning: 'The authority’s key must not sign certificate revocation lists.',
  },
  crl_signature: {
    clause: `${PKIX}, 6.3.3 (g)`,
    meaning: 'The certificate revocation list has an invalid signature.',
  },
  crl_expired: {
    clause: `${PKIX}, 5.1.2.4, 5.1.2.5, 6.3.3 (a)`,
    meaning: 'The certificate revocation list has expired, or is not valid yet.',
  },
  crl_critical_extension: {
    clause: `${PKIX}, 5.2, 5.3`,
    meaning:
      'The certificate revocation list is a delta list, covers only some certificates, belongs to another address, or has another unknown critical extension.',
  },
  test_issuer: {
    clause: 'docs/proofs.md',
    meaning: 'The attestation comes from a test issuer, but the session is not a test.',
  },

  // The mobile security object.
  issuer_auth_malformed: {
    clause: `${ISO5}, 9.1.2.4`,
    meaning: 'The issuer’s signature or the signed object does not have the required format.',
  },
  issuer_algorithm: {
    clause: `${ISO5}, 9.1.2.4; RFC 9053, 2.1`,
    meaning: 'The profile does not allow the algorithm of the issuer’s signature, or it does not match the key.',
  },
  issuer_signature: { clause: `${ISO5}, 9.3.1, step 2`, meaning: 'The issuer’s signature is invalid.' },
  mso_version: { clause: `${ISO5}, 9.1.2.4`, meaning: 'The version of the mobile security object is unknown.' },
  digest_algorithm: {
    clause: `${ISO5}, 9.1.2.5`,
    meaning: 'The profile does not allow the digest algorithm.',
  },
  doctype_mismatch: {
    clause: `${ISO5}, 9.3.1, step 4`,
    meaning: 'The issuer signed another document type than the response states.',
  },
  signed_outside_certificate: {
    clause: `${ISO5}, 9.3.1, step 5`,
    meaning: 'The attestation was signed outside the validity of its signer’s certificate.',
  },
  not_yet_valid: {
    clause: `${ISO5}, 9.3.1, step 5`,
    meaning: 'The attestation is not valid yet, or was signed in the future.',
  },
  valid_before_signed: {
    clause: `${ISO5}, 9.1.2.4`,
    meaning: 'The attestation’s validity starts before it was signed.',
  },
  expired: { clause: `${ISO5}, 9.3.1, step 5`, meaning: 'The attestation has expired.' },
  validity_too_long: {
    clause: 'EU age verification, Annex A',
    meaning: 'The attestation’s validity is longer than the profile allows.',
  },
  status_malformed: { clause: `${STATUS_LIST}, 6.3`, meaning: 'The attestation’s status reference cannot be parsed.' },

  // The disclosed element.
  element_missing: {
    clause: `${ISO5}, 8.3.2.1.2.2`,
    meaning: 'The requested element is missing from the response.',
  },
  element_repeated: { clause: `${ISO5}, 8.3.2.1.2.2`, meaning: 'The response contains the element twice.' },
  element_malformed: { clause: `${ISO5}, 9.1.2.5`, meaning: 'The element does not have the required format.' },
  digest_missing: { clause: `${ISO5}, 9.3.1, step 3`, meaning: 'The issuer signed no digest for the element.' },
  digest_mismatch: { clause: `${ISO5}, 9.3.1, step 3`, meaning: 'The element differs from what the issuer signed.' },
  element_not_true: {
    clause: `${ISO5}, 7.2.5`,
    meaning: 'The value of the element is not true: the person is younger.',
  },

  // The device's proof that the response belongs to this request.
  device_key: {
    clause: `${ISO5}, 9.1.2.4; RFC 9053, 7.1`,
    meaning: 'The device key cannot be used.',
  },
  device_auth_missing: {
    clause: `${ISO5}, 9.1.3.4`,
    meaning: 'The response has neither a device signature nor a MAC, or both.',
  },
  device_auth_malformed: {
    clause: `${ISO5}, 9.1.3.4`,
    meaning: 'The device’s proof does not have the required format.',
  },
  device_algorithm: {
    clause: `${ISO5}, 9.1.3.5, 9.1.3.6`,
    meaning: 'The profile does not allow the algorithm of the device’s proof, or it does not match the key.',
  },
  device_signature: {
    clause: `${ISO5}, 9.1.3.6; ${OPENID}, B.2.6; ${ANNEX_C}`,
    meaning: 'The device’s signature is invalid for this request: it belongs to another device, origin or nonce.',
  },
  device_mac: {
    clause: `${ISO5}, 9.1.3.5; ${OPENID}, B.2.6; ${ANNEX_C}`,
    meaning: 'The device’s MAC is invalid for this request: it belongs to another device, origin or nonce.',
  },

  // The status list.
  status_list_malformed: { clause: `${STATUS_LIST}, 4, 5`, meaning: 'The status list cannot be parsed.' },
  status_list_signature: {
    clause: `${STATUS_LIST}, 8.3`,
    meaning: 'The status list’s signature is invalid, or the profile does not allow its algorithm.',
  },
  status_list_subject: {
    clause: `${STATUS_LIST}, 8.3`,
    meaning: 'The status list is not the one that the attestation names.',
  },
  status_list_expired: {
    clause: `${STATUS_LIST}, 8.3; ${ISO5_SECOND}, 12.3.6.3`,
    meaning: 'The status list has expired, or is not valid yet.',
  },
  status_out_of_range: { clause: `${STATUS_LIST}, 8.3`, meaning: 'The status list has no entry for the attestation.' },
  status_revoked: { clause: `${STATUS_LIST}, 7`, meaning: 'The issuer has revoked or suspended the attestation.' },
} as const satisfies Record<string, Refusal>;

export type RefusalCode = keyof typeof REFUSALS;

export interface RefusalResult {
  ok: false;
  refusal: RefusalCode;
  clause: string;
}

/** Thrown by failed checks within the package. Callers of the package receive a value. */
export class RefusalError extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode) {
    super(code);
    this.code = code;
  }
}

export function refuse(code: RefusalCode): never {
  throw new RefusalError(code);
}

/** Converts a refusal to a value. Rethrows other errors, which are bugs. */
export function describeRefusal(error: unknown): RefusalResult {
  if (!(error instanceof RefusalError)) throw error;
  return { ok: false, refusal: error.code, clause: REFUSALS[error.code].clause };
}
