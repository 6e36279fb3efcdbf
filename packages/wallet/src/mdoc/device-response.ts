// Outer structure of a device response (ISO/IEC 18013-5:2021, 8.3.2.1.2.2): one document of the
// requested type.
import { decodeCbor, isBytes, isMap, unwrapEncoded } from '../cbor/codec.ts';
import { type CoseMessage, readCose } from '../cose/message.ts';
import type { Profile } from '../profiles/profiles.ts';
import { refuse } from '../refusals.ts';

export interface DisclosedDocument {
  docType: string;
  issuerAuth: CoseMessage;
  /** Undecoded items by namespace, as the bytes within their tags. */
  items: ReadonlyMap<string, readonly Uint8Array[]>;
  /** As received, because they are part of what the device signs. */
  deviceNamespaces: Uint8Array;
  deviceAuth: { kind: 'signature' | 'mac'; message: CoseMessage };
}

const VERSION_1 = /^1\.\d{1,3}$/;
const OK_STATUS = 0;

export function readDeviceResponse(bytes: Uint8Array, profile: Profile): DisclosedDocument {
  const response = decodeCbor(bytes);
  if (!isMap(response)) return refuse('response_malformed');
  const version = response.get('version');
  if (typeof version !== 'string' || !VERSION_1.test(version)) refuse('response_version');
  if (response.get('status') !== OK_STATUS) refuse('response_status');
  const documents = response.get('documents') ?? [];
  if (!Array.isArray(documents)) return refuse('response_malformed');
  if (documents.length === 0) refuse('document_missing');
  if (documents.length > 1) refuse('document_repeated');
  return readDocument(documents[0], profile);
}

function readDocument(document: unknown, profile: Profile): DisclosedDocument {
  if (!isMap(document)) return refuse('response_malformed');
  const [docType, issuerSigned, deviceSigned] = ['docType', 'issuerSigned', 'deviceSigned'].map((key) =>
    document.get(key),
  );
  if (typeof docType !== 'string' || !isMap(issuerSigned) || !isMap(deviceSigned)) return refuse('response_malformed');
  if (docType !== profile.docType) refuse('doctype_unasked');
  return {
    docType,
    issuerAuth: readCose(issuerSigned.get('issuerAuth')) ?? refuse('issuer_auth_malformed'),
    items: readItems(issuerSigned.get('nameSpaces')),
    deviceNamespaces: unwrapEncoded(deviceSigned.get('nameSpaces')) ?? refuse('device_auth_malformed'),
    deviceAuth: readDeviceAuth(deviceSigned.get('deviceAuth')),
  };
}

function readItems(namespaces: unknown): Map<string, Uint8Array[]> {
  if (namespaces === undefined) return new Map();
  if (!isMap(namespaces)) return refuse('response_malformed');
  return new Map([...namespaces].map(([name, items]) => [String(name), readItemList(items)]));
}

function readItemList(items: unknown): Uint8Array[] {
  const unwrapped = Array.isArray(items) ? items.map(unwrapEncoded) : [null];
  return unwrapped.every(isBytes) ? unwrapped : refuse('response_malformed');
}

function readDeviceAuth(deviceAuth: unknown): DisclosedDocument['deviceAuth'] {
  if (!isMap(deviceAuth)) return refuse('device_auth_missing');
  const [signature, mac] = [deviceAuth.get('deviceSignature'), deviceAuth.get('deviceMac')];
  if ((signature === undefined) === (mac === undefined)) refuse('device_auth_missing');
  const message = readCose(signature ?? mac) ?? refuse('device_auth_malformed');
  // Always detached (ISO/IEC 18013-5:2021, 9.1.3.4).
  if (message.payload !== null) refuse('device_auth_malformed');
  return { kind: signature === undefined ? 'mac' : 'signature', message };
}
