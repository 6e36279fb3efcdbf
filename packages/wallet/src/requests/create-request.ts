// Creates a request for one proof of age: the data for the browser or link, and the state to keep
// until the response.

import type { JWK } from 'jose';
import { encodeCbor, wrapEncoded } from '../cbor/codec.ts';
import { encodePublicKey } from '../cose/key.ts';
import {
  findAgeFor,
  nameElement,
  PROFILES,
  type Profile,
  type ProfileId,
  type Protocol,
} from '../profiles/profiles.ts';
import { type AnswerKey, deriveAnswerKey } from './answer-key.ts';
import { composeParameters } from './openid4vp-request.ts';
import { type RequestSigner, signRequestObject } from './request-signer.ts';
import type { Handover, RequestState } from './request-state.ts';

/** ISO/IEC 18013-5:2021, 8.3.2.1.2.1: the element and `intentToRetain`. */
export function encodeDeviceRequest(profile: Profile, ageOver: number): string {
  const itemsRequest = encodeCbor(
    new Map<string, unknown>([
      ['docType', profile.docType],
      ['nameSpaces', new Map([[profile.namespace, new Map([[nameElement(ageOver), false]])]])],
    ]),
  );
  const docRequest = new Map([['itemsRequest', wrapEncoded(itemsRequest)]]);
  return toBase64url(
    encodeCbor(
      new Map<string, unknown>([
        ['version', '1.0'],
        ['docRequests', [docRequest]],
      ]),
    ),
  );
}

function encodeEncryptionInfo(nonce: Uint8Array, publicKey: JWK): string {
  const parameters = new Map<string, unknown>([
    ['nonce', nonce],
    ['recipientPublicKey', encodePublicKey(publicKey)],
  ]);
  return toBase64url(encodeCbor(['dcapi', parameters]));
}

function toBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

export const ENTROPY_BYTES = 64;
const NONCE_BYTES = 32;
/** Default audience for wallets by OpenID4VP 1.0, 5.8. */
const WALLET_AUDIENCE = 'https://self-issued.me/v2';

interface RequestAddresses {
  /** Origin of the page that calls the browser. Required for the three browser protocols. */
  origin?: string;
  /** URL for the wallet's response. Required for links. */
  responseUri?: string;
  /** URL of the signed request object. Without it the link contains the request. */
  requestUri?: string;
}

export interface RequestOptions extends RequestAddresses {
  profile: ProfileId;
  protocol: Protocol;
  /** Threshold in years. The smallest element at or above it is requested. */
  threshold: number;
  /** Fresh random bytes for this request. */
  entropy: Uint8Array;
  /** Required for the signed protocols. */
  signer?: RequestSigner;
  /** Replaces the profile's default. Only for OpenID4VP. */
  encrypted?: boolean;
}

export type WalletRequest =
  /** For `navigator.credentials.get({ digital: { requests: [{ protocol, data }] } })`. */
  | { kind: 'digital'; protocol: Protocol; data: Record<string, unknown> }
  /**
   * Link to open, or to show as a QR code. `requestUri` must serve `requestObject` as
   * `application/oauth-authz-req+jwt`.
   */
  | { kind: 'link'; link: string; requestObject: string | null };

export interface CreatedRequest {
  request: WalletRequest;
  /** Secret, and valid for one response. */
  state: RequestState;
}

interface Draft {
  options: RequestOptions;
  profile: Profile;
  ageOver: number;
  nonce: Uint8Array<ArrayBuffer>;
  nonceText: string;
  answerKey: AnswerKey | null;
}

/** Throws if the options are inconsistent. They never contain a person's input. */
export async function createRequest(options: RequestOptions): Promise<CreatedRequest> {
  const draft = await draftRequest(options);
  switch (options.protocol) {
    case 'org-iso-mdoc':
      return requestByAnnexC(draft);
    case 'openid4vp-v1-unsigned':
    case 'openid4vp-v1-signed':
      return requestByDcApi(draft);
    case 'redirect-unsigned':
    case 'redirect-signed':
      return requestByLink(draft);
  }
}

async function draftRequest(options: RequestOptions): Promise<Draft> {
  const profile = PROFILES[options.profile];
  if (!profile.protocols.includes(options.protocol)) throw new Error('The profile does not support this protocol.');
  const ageOver = findAgeFor(profile, options.threshold);
  if (ageOver === null) throw new Error('The profile has no element for this threshold.');
  if (options.entropy.length !== ENTROPY_BYTES) throw new Error(`The entropy must have ${ENTROPY_BYTES} bytes.`);
  const nonce = Uint8Array.from(options.entropy.subarray(0, NONCE_BYTES));
  const isEncrypted = options.protocol === 'org-iso-mdoc' || (options.encrypted ?? profile.encryptsAnswers);
  const answerKey = isEncrypted ? await deriveAnswerKey(Uint8Array.from(options.entropy.subarray(NONCE_BYTES))) : null;
  return { options, profile, ageOver, nonce, nonceText: Buffer.from(nonce).toString('base64url'), answerKey };
}

function requestByAnnexC(draft: Draft): CreatedRequest {
  const { options, profile, ageOver, nonce, answerKey } = draft;
  const origin = need(options.origin, 'origin');
  const encryptionInfo = encodeEncryptionInfo(nonce, need(answerKey, 'answerKey').publicJwk);
  const data = { deviceRequest: encodeDeviceRequest(profile, ageOver), encryptionInfo };
  return {
    request: { kind: 'digital', protocol: options.protocol, data },
    state: keepState(draft, { kind: 'annex_c', encryptionInfo, origin }),
  };
}

async function requestByDcApi(draft: Draft): Promise<CreatedRequest> {
  const { options } = draft;
  const origin = need(options.origin, 'origin');
  const parameters = compose(draft, 'dc_api');
  const state = keepState(draft, { kind: 'dc_api', origin });
  if (options.protocol === 'openid4vp-v1-unsigned') {
    return { request: { kind: 'digital', protocol: options.protocol, data: { ...parameters } }, state };
  }
  const signer = need(options.signer, 'signer');
  // OpenID4VP 1.0, A.2: signed requests name their origins, so that no other page can use them.
  const payload = { client_id: signer.clientId, expected_origins: [origin], ...parameters };
  const data = { request: await signRequestObject(signer, payload) };
  return { request: { kind: 'digital', protocol: options.protocol, data }, state };
}

async function requestByLink(draft: Draft): Promise<CreatedRequest> {
  const { options, profile } = draft;
  const responseUri = need(options.responseUri, 'responseUri');
  const signer = options.protocol === 'redirect-signed' ? need(options.signer, 'signer') : null;
  // OpenID4VP 1.0, 5.9.3: without a certificate, the response URL identifies the requester.
  const clientId = signer?.clientId ?? `redirect_uri:${responseUri}`;
  if (signer?.dnsName && signer.dnsName !== new URL(responseUri).hostname) {
    throw new Error('The certificate is not valid for the host that receives responses.');
  }
  const parameters = { client_id: clientId, response_uri: responseUri, ...compose(draft, 'direct_post') };
  const requestObject = signer ? await signRequestObject(signer, { aud: WALLET_AUDIENCE, ...parameters }) : null;
  const query =
    requestObject === null ? parameters : buildRequestReference(requestObject, clientId, options.requestUri);
  return {
    request: { kind: 'link', link: `${profile.linkScheme}://?${writeQuery(query)}`, requestObject },
    state: keepState(draft, { kind: 'redirect', clientId, responseUri }),
  };
}

/** OpenID4VP 1.0, 5: by reference if possible, otherwise by value. */
function buildRequestReference(
  requestObject: string,
  clientId: string,
  requestUri: string | undefined,
): Record<string, string> {
  return requestUri
    ? { client_id: clientId, request_uri: requestUri }
    : { client_id: clientId, request: requestObject };
}

function writeQuery(parameters: object): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`)
    .join('&');
}

function compose({ profile, ageOver, nonceText, answerKey }: Draft, transport: 'dc_api' | 'direct_post') {
  return composeParameters(profile, ageOver, nonceText, transport, answerKey?.publicJwk ?? null);
}

function keepState({ options, ageOver, nonceText, answerKey }: Draft, handover: Handover): RequestState {
  return {
    version: 1,
    profile: options.profile,
    protocol: options.protocol,
    ageOver,
    nonce: nonceText,
    handover,
    answerKey: answerKey?.privateJwk ?? null,
    // Annex C has no field for it.
    answerKeyThumbprint: answerKey?.thumbprint ?? null,
  };
}

function need<T>(value: T | null | undefined, name: string): T {
  if (value === null || value === undefined) throw new Error(`This protocol needs ${name}.`);
  return value;
}
