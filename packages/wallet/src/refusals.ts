// Every reason to refuse a wallet's answer, with the clause that the check comes from. docs/reference/wallet-refusals.md prints this table.

export interface Refusal {
  clause: string;
  meaning: string;
}

const ISO5 = 'ISO/IEC 18013-5:2021';
/** Whose clauses have other numbers. */
const ISO5_SECOND = 'ISO/IEC 18013-5, second edition';
const ANNEX_C = 'ISO/IEC 18013-7, Annex C';
const OPENID = 'OpenID4VP 1.0';
const PKIX = 'RFC 5280';
const STATUS_LIST = 'Token Status List';

export const REFUSALS = {
  // The answer as it came.
  declined: {
    clause: `${OPENID}, 8.5`,
    meaning: 'The wallet answered with an error: the person declined, or it has no such attestation.',
  },
  answer_malformed: {
    clause: `${OPENID}, 8.1; ${ANNEX_C}`,
    meaning: 'The answer is not of the form that the protocol has.',
  },
  answer_too_large: { clause: `${OPENID}, 8.1; ${ANNEX_C}`, meaning: 'The answer is larger than any honest one.' },
  answer_not_encrypted: {
    clause: `${OPENID}, 8.3`,
    meaning: 'An encrypted answer was asked for, and it came in the clear.',
  },
  answer_not_decryptable: {
    clause: `${ANNEX_C}; ${OPENID}, 8.3`,
    meaning: 'The answer does not open with the key of this request, for this origin: it was made for another.',
  },
  cbor_malformed: {
    clause: `${ISO5}, 8.1; RFC 8949, 5.3`,
    meaning: 'Not well-formed CBOR, or an indefinite length, a length longer than need be, a key twice, or too deep.',
  },

  // The device response.
  response_malformed: {
    clause: `${ISO5}, 8.3.2.1.2.2`,
    meaning: 'The device response lacks a part, or one is of the wrong type.',
  },
  response_version: {
    clause: `${ISO5}, 8.3.2.1.2.2`,
    meaning: 'The device response is of a version that is not known.',
  },
  response_status: { clause: `${ISO5}, 8.3.2.1.2.3`, meaning: 'The wallet reports that it could not answer.' },
  document_missing: { clause: `${ISO5}, 8.3.2.1.2.2`, meaning: 'The answer has no document.' },
  document_repeated: {
    clause: `${ISO5}, 8.3.2.1.2.2`,
    meaning: 'The answer has more than the one document that was asked for.',
  },
  doctype_unasked: {
    clause: `${ISO5}, 8.3.2.1.2.2`,
    meaning: 'The document is of another type than the one asked for.',
  },

  // The issuer's certificates.
  certificate_missing: {
    clause: `${ISO5}, 9.1.2.4; RFC 9360, 2`,
    meaning: 'The signature brings no certificate, or too many.',
  },
  certificate_malformed: { clause: `${PKIX}, 4.1`, meaning: 'A certificate cannot be read.' },
  issuer_untrusted: {
    clause: `${ISO5}, 9.3.3; ${PKIX}, 6.1`,
    meaning: 'No configured anchor of this profile vouches for the issuer.',
  },
  certificate_names: {
    clause: `${PKIX}, 6.1.3 (a) (4)`,
    meaning: 'A certificate in the chain was not issued by the next one, going by the names.',
  },
  certificate_signature: {
    clause: `${PKIX}, 6.1.3 (a) (1)`,
    meaning: 'The signature of a certificate in the chain is wrong.',
  },
  certificate_dates: {
    clause: `${PKIX}, 6.1.3 (a) (2)`,
    meaning: 'A certificate in the chain is not valid yet, or no longer.',
  },
  certificate_not_authority: {
    clause: `${PKIX}, 6.1.4 (k)`,
    meaning: 'A certificate that issued another is not that of an authority, or the document signer is one.',
  },
  certificate_path_length: {
    clause: `${PKIX}, 6.1.4 (l), (m)`,
    meaning: 'The chain is longer than an authority in it allows.',
  },
  certificate_key_usage: {
    clause: `${PKIX}, 6.1.4 (n); ${ISO5}, Table B.3`,
    meaning: 'A key in the chain may not be used for what it was used for.',
  },
  certificate_purpose: {
    clause: `${ISO5}, Table B.3`,
    meaning: 'The certificate is not that of a document signer: extended key usage.',
  },
  certificate_critical_extension: {
    clause: `${PKIX}, 6.1.4 (o), 6.1.5 (f)`,
    meaning: 'A certificate has a critical extension that is not understood.',
  },
  certificate_revoked: {
    clause: `${PKIX}, 6.3.3 (i); ${ISO5}, 9.3.3`,
    meaning: 'The authority has revoked a certificate of the chain.',
  },
  crl_malformed: { clause: `${PKIX}, 5.1`, meaning: 'The list of revoked certificates cannot be read.' },
  crl_issuer: {
    clause: `${PKIX}, 6.3.3 (b) (1)`,
    meaning: 'The list of revoked certificates is not of the authority that issued the certificate.',
  },
  crl_key_usage: {
    clause: `${PKIX}, 6.3.3 (f)`,
    meaning: 'The key of the authority may not be used for lists of revoked certificates.',
  },
  crl_signature: {
    clause: `${PKIX}, 6.3.3 (g)`,
    meaning: 'The signature of the list of revoked certificates is wrong.',
  },
  crl_expired: {
    clause: `${PKIX}, 5.1.2.4, 5.1.2.5, 6.3.3 (a)`,
    meaning: 'The list of revoked certificates is no longer valid, or not yet.',
  },
  crl_critical_extension: {
    clause: `${PKIX}, 5.2, 5.3`,
    meaning:
      'The list of revoked certificates is one of changes, of some certificates or of another address, or has another critical extension that is not understood.',
  },
  test_issuer: { clause: 'docs/proofs.md', meaning: 'The attestation is of a test issuer, and this is not a test.' },

  // The mobile security object.
  issuer_auth_malformed: {
    clause: `${ISO5}, 9.1.2.4`,
    meaning: 'The issuer’s signature, or the object that it signs, is not of the form it must have.',
  },
  issuer_algorithm: {
    clause: `${ISO5}, 9.1.2.4; RFC 9053, 2.1`,
    meaning: 'The issuer’s signature has an algorithm that the profile does not allow, or that is not of its key.',
  },
  issuer_signature: { clause: `${ISO5}, 9.3.1, step 2`, meaning: 'The issuer’s signature is wrong.' },
  mso_version: { clause: `${ISO5}, 9.1.2.4`, meaning: 'The mobile security object is of a version that is not known.' },
  digest_algorithm: {
    clause: `${ISO5}, 9.1.2.5`,
    meaning: 'The digests are of an algorithm that the profile does not allow.',
  },
  doctype_mismatch: {
    clause: `${ISO5}, 9.3.1, step 4`,
    meaning: 'The issuer signed another type of document than the answer says.',
  },
  signed_outside_certificate: {
    clause: `${ISO5}, 9.3.1, step 5`,
    meaning: 'The attestation was signed while its signer’s certificate was not valid.',
  },
  not_yet_valid: { clause: `${ISO5}, 9.3.1, step 5`, meaning: 'The attestation is not valid yet, or not signed yet.' },
  valid_before_signed: {
    clause: `${ISO5}, 9.1.2.4`,
    meaning: 'The attestation says that it was valid before it was signed.',
  },
  expired: { clause: `${ISO5}, 9.3.1, step 5`, meaning: 'The attestation is no longer valid.' },
  validity_too_long: {
    clause: 'EU age verification, Annex A',
    meaning: 'The attestation is valid for longer than the profile allows.',
  },
  status_malformed: { clause: `${STATUS_LIST}, 6.3`, meaning: 'The attestation has a status that cannot be read.' },

  // What was disclosed.
  element_missing: {
    clause: `${ISO5}, 8.3.2.1.2.2`,
    meaning: 'The answer does not have the element that was asked for.',
  },
  element_repeated: { clause: `${ISO5}, 8.3.2.1.2.2`, meaning: 'The answer has the element twice.' },
  element_malformed: { clause: `${ISO5}, 9.1.2.5`, meaning: 'The element is not of the form it must have.' },
  digest_missing: { clause: `${ISO5}, 9.3.1, step 3`, meaning: 'The issuer signed no digest for the element.' },
  digest_mismatch: { clause: `${ISO5}, 9.3.1, step 3`, meaning: 'The element is not what the issuer signed.' },
  element_not_true: { clause: `${ISO5}, 7.2.5`, meaning: 'The element is not exactly true: the person is younger.' },

  // The wallet's own proof that the answer is for this request.
  device_key: {
    clause: `${ISO5}, 9.1.2.4; RFC 9053, 7.1`,
    meaning: 'The key of the device is not one that can be used.',
  },
  device_auth_missing: {
    clause: `${ISO5}, 9.1.3.4`,
    meaning: 'The answer has neither signature nor MAC of the device, or both.',
  },
  device_auth_malformed: {
    clause: `${ISO5}, 9.1.3.4`,
    meaning: 'The proof of the device is not of the form it must have.',
  },
  device_algorithm: {
    clause: `${ISO5}, 9.1.3.5, 9.1.3.6`,
    meaning: 'The proof of the device has an algorithm that the profile does not allow, or that is not of its key.',
  },
  device_signature: {
    clause: `${ISO5}, 9.1.3.6; ${OPENID}, B.2.6; ${ANNEX_C}`,
    meaning: 'The signature of the device is wrong for this request: another device, origin or nonce.',
  },
  device_mac: {
    clause: `${ISO5}, 9.1.3.5; ${OPENID}, B.2.6; ${ANNEX_C}`,
    meaning: 'The MAC of the device is wrong for this request: another device, origin or nonce.',
  },

  // The status list.
  status_list_malformed: { clause: `${STATUS_LIST}, 4, 5`, meaning: 'The status list cannot be read.' },
  status_list_signature: {
    clause: `${STATUS_LIST}, 8.3`,
    meaning: 'The signature of the status list is wrong, or has an algorithm that the profile does not allow.',
  },
  status_list_subject: {
    clause: `${STATUS_LIST}, 8.3`,
    meaning: 'The status list is not the one that the attestation names.',
  },
  status_list_expired: {
    clause: `${STATUS_LIST}, 8.3; ${ISO5_SECOND}, 12.3.6.3`,
    meaning: 'The status list is no longer valid, or not yet.',
  },
  status_out_of_range: { clause: `${STATUS_LIST}, 8.3`, meaning: 'The status list has no entry for the attestation.' },
  status_revoked: { clause: `${STATUS_LIST}, 7`, meaning: 'The issuer has revoked or suspended the attestation.' },
} as const satisfies Record<string, Refusal>;

export type RefusalCode = keyof typeof REFUSALS;

export interface Refused {
  ok: false;
  refusal: RefusalCode;
  clause: string;
}

/** Thrown within the package where a check fails; whoever calls the package gets a value. */
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

/** What a fault of a check comes back as. Anything else is a fault of ours, and stays one. */
export function describeRefusal(error: unknown): Refused {
  if (!(error instanceof RefusalError)) throw error;
  return { ok: false, refusal: error.code, clause: REFUSALS[error.code].clause };
}
