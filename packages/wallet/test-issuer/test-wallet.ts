// A wallet with one attestation: parses a request and responds by its protocol.
import { CompactEncrypt, calculateJwkThumbprint, decodeJwt, importJWK, type JWK } from 'jose';
import { decodeCbor, encodeCbor, isMap, unwrapEncoded, wrapEncoded } from '../src/cbor/codec.ts';
import { encodeDeviceAuthentication } from '../src/mdoc/device-auth.ts';
import { ANSWER_SUITE } from '../src/requests/answer-key.ts';
import type { WalletRequest } from '../src/requests/create-request.ts';
import {
  type Transcript,
  transcribeAnnexC,
  transcribeDcApi,
  transcribeRedirect,
} from '../src/transcripts/transcripts.ts';
import type { Attestation } from './issue-attestation.ts';
import { signCose } from './sign-cose.ts';

export interface WalletConduct {
  /** Origin of the requesting page, as reported by the browser. Not needed for links. */
  origin?: string;
  /** Disclosed in addition to the requested element. */
  smuggle?: readonly string[];
  /** Elements signed by the device, by namespace. */
  deviceElements?: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  /** Changes the device response before it is sent. */
  tamper?: (response: Map<string, unknown>) => void;
}

/** Returns the browser's `data`, or the form to post to `responseUri`. */
export interface WalletAnswer {
  responseUri: string | null;
  fields: Record<string, unknown>;
}

interface AuthorizationRequest {
  client_id?: string;
  response_uri?: string;
  response_mode: string;
  nonce: string;
  dcql_query: { credentials: [{ id: string; meta: { doctype_value: string }; claims: [{ path: [string, string] }] }] };
  client_metadata?: { jwks?: { keys: [JWK] } };
}

/** Request of a link. */
export interface ReadLink {
  docType: string;
  /** Names of the elements. */
  asked: readonly string[];
  responseUri: string;
}

/** Throws if this wallet does not understand the request. */
export function readLink(link: Extract<WalletRequest, { kind: 'link' }>): ReadLink {
  const { dcql_query, response_uri } = readAuthorizationRequest(link);
  const [{ meta, claims }] = dcql_query.credentials;
  if (response_uri === undefined) throw new Error('The request does not contain a response URI.');
  return { docType: meta.doctype_value, asked: claims.map(({ path: [, name] }) => name), responseUri: response_uri };
}

export async function answerRequest(
  request: WalletRequest,
  attestation: Attestation,
  conduct: WalletConduct = {},
): Promise<WalletAnswer> {
  if (request.kind === 'digital' && request.protocol === 'org-iso-mdoc') {
    return { responseUri: null, fields: await answerAnnexC(request.data, attestation, conduct) };
  }
  const read = readAuthorizationRequest(request);
  const fields = await answerOpenid4vp(read, attestation, conduct);
  return { responseUri: read.response_uri ?? null, fields };
}

async function answerAnnexC(
  data: Record<string, unknown>,
  attestation: Attestation,
  conduct: WalletConduct,
): Promise<Record<string, unknown>> {
  const encryptionInfo = String(data['encryptionInfo']);
  const transcript = transcribeAnnexC(encryptionInfo, conduct.origin ?? '');
  const response = await composeResponse(attestation, readAsked(String(data['deviceRequest'])), transcript, conduct);
  const recipientPublicKey = await ANSWER_SUITE.kem.deserializePublicKey(readRecipient(encryptionInfo));
  const { ct, enc } = await ANSWER_SUITE.seal({ recipientPublicKey, info: Uint8Array.from(transcript) }, response);
  const sealed = new Map([
    ['enc', new Uint8Array(enc)],
    ['cipherText', new Uint8Array(ct)],
  ]);
  return { response: Buffer.from(encodeCbor(['dcapi', sealed])).toString('base64url') };
}

function readRecipient(encryptionInfo: string): ArrayBuffer {
  const [, parameters] = decodeCbor(Buffer.from(encryptionInfo, 'base64url')) as [string, Map<string, unknown>];
  const key = parameters.get('recipientPublicKey') as Map<number, Uint8Array>;
  return Uint8Array.of(4, ...(key.get(-2) ?? []), ...(key.get(-3) ?? [])).buffer;
}

function readAsked(deviceRequest: string): string[] {
  const request = decodeCbor(Buffer.from(deviceRequest, 'base64url')) as Map<string, [Map<string, unknown>]>;
  const items = decodeCbor(unwrapEncoded(request.get('docRequests')?.[0].get('itemsRequest')) ?? new Uint8Array(0));
  const namespaces = isMap(items) ? items.get('nameSpaces') : null;
  return isMap(namespaces)
    ? [...namespaces.values()].flatMap((names) => [...(names as Map<string, boolean>).keys()])
    : [];
}

function readAuthorizationRequest(request: WalletRequest): AuthorizationRequest {
  if (request.kind === 'digital') {
    const signed = request.data['request'];
    return (typeof signed === 'string' ? decodeJwt(signed) : request.data) as unknown as AuthorizationRequest;
  }
  if (request.requestObject !== null) return decodeJwt(request.requestObject) as unknown as AuthorizationRequest;
  const parameters = Object.fromEntries(new URL(request.link).searchParams);
  const [dcql_query, client_metadata] = [parameters['dcql_query'], parameters['client_metadata']].map((text) =>
    JSON.parse(text ?? 'null'),
  );
  return { ...parameters, dcql_query, client_metadata } as unknown as AuthorizationRequest;
}

async function answerOpenid4vp(
  request: AuthorizationRequest,
  attestation: Attestation,
  conduct: WalletConduct,
): Promise<Record<string, unknown>> {
  const isEncrypted = request.response_mode.endsWith('.jwt');
  const key = isEncrypted ? request.client_metadata?.jwks?.keys[0] : undefined;
  const [credential] = request.dcql_query.credentials;
  const asked = credential.claims.map(({ path: [, name] }) => name);
  const transcript = await transcribe(request, key, conduct.origin ?? '');
  const response = await composeResponse(attestation, asked, transcript, conduct);
  const vp_token = { [credential.id]: [Buffer.from(response).toString('base64url')] };
  if (key) return { response: await encrypt({ vp_token }, key) };
  return { vp_token: request.response_uri === undefined ? vp_token : JSON.stringify(vp_token) };
}

async function transcribe(request: AuthorizationRequest, key: JWK | undefined, origin: string): Promise<Transcript> {
  const thumbprint = key ? Buffer.from(await calculateJwkThumbprint(key), 'base64url') : null;
  const { client_id = '', response_uri, nonce } = request;
  return response_uri === undefined
    ? transcribeDcApi(origin, nonce, thumbprint)
    : transcribeRedirect(client_id, nonce, thumbprint, response_uri);
}

async function encrypt(payload: object, key: JWK): Promise<string> {
  return new CompactEncrypt(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', ...(key.kid ? { kid: key.kid } : {}) })
    .encrypt(await importJWK(key, 'ECDH-ES'));
}

async function composeResponse(
  attestation: Attestation,
  asked: readonly string[],
  transcript: Transcript,
  { smuggle = [], deviceElements = new Map(), tamper }: WalletConduct,
): Promise<Uint8Array<ArrayBuffer>> {
  const { docType, namespace, items, issuerAuth, deviceKey } = attestation;
  const disclosed = [...asked, ...smuggle].flatMap((name) => items.get(name) ?? []).map(wrapEncoded);
  const deviceItems = encodeCbor(deviceElements);
  const authenticated = encodeDeviceAuthentication(transcript, docType, deviceItems);
  const deviceSignature = await signCose(deviceKey, authenticated, { isDetached: true });
  const issuerSigned = new Map<string, unknown>([
    ['nameSpaces', new Map([[namespace, disclosed]])],
    ['issuerAuth', issuerAuth],
  ]);
  const deviceSigned = new Map<string, unknown>([
    ['nameSpaces', wrapEncoded(deviceItems)],
    ['deviceAuth', new Map([['deviceSignature', deviceSignature]])],
  ]);
  const document = new Map<string, unknown>([
    ['docType', docType],
    ['issuerSigned', issuerSigned],
    ['deviceSigned', deviceSigned],
  ]);
  const response = new Map<string, unknown>([
    ['version', '1.0'],
    ['documents', [document]],
    ['status', 0],
  ]);
  tamper?.(response);
  return encodeCbor(response);
}
