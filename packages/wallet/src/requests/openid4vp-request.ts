// Parameters of an OpenID4VP 1.0 request: one attestation, one element, and the response format.
import type { JWK } from 'jose';
import { nameAlgorithms } from '../cose/algorithms.ts';
import { nameElement, type Profile } from '../profiles/profiles.ts';

/** Id of the query in the response (OpenID4VP 1.0, 6.1). */
export const CREDENTIAL_ID = 'proof_of_age';
export const KEY_AGREEMENT = 'ECDH-ES';
export const CONTENT_ENCRYPTIONS = ['A128GCM', 'A256GCM'] as const;
export type ContentEncryption = (typeof CONTENT_ENCRYPTIONS)[number];

export interface RequestParameters {
  response_type: 'vp_token';
  response_mode: string;
  nonce: string;
  dcql_query: object;
  client_metadata: object;
}

export function composeParameters(
  profile: Profile,
  ageOver: number,
  nonce: string,
  transport: 'dc_api' | 'direct_post',
  answerKey: JWK | null,
): RequestParameters {
  return {
    response_type: 'vp_token',
    response_mode: answerKey ? `${transport}.jwt` : transport,
    nonce,
    dcql_query: composeQuery(profile, ageOver),
    client_metadata: composeClientMetadata(profile, answerKey),
  };
}

function composeQuery({ docType, namespace }: Profile, ageOver: number): object {
  const claim = { path: [namespace, nameElement(ageOver)], intent_to_retain: false };
  return {
    credentials: [{ id: CREDENTIAL_ID, format: 'mso_mdoc', meta: { doctype_value: docType }, claims: [claim] }],
  };
}

function composeClientMetadata(profile: Profile, answerKey: JWK | null): object {
  const { issuer, device } = nameAlgorithms(profile, answerKey !== null);
  const formats = {
    vp_formats_supported: { mso_mdoc: { issuerauth_alg_values: issuer, deviceauth_alg_values: device } },
  };
  if (!answerKey) return formats;
  const key = { ...answerKey, kid: 'answer', use: 'enc', alg: KEY_AGREEMENT };
  return { ...formats, jwks: { keys: [key] }, encrypted_response_enc_values_supported: CONTENT_ENCRYPTIONS };
}
