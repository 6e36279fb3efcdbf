// Signs the calls of a device: the text that is signed, and the headers that carry the signature.
import { encodeBase64url } from '../../text/base64url.ts';

/** A key of WebCrypto, by whatever name the platform's types have for it. */
export type DeviceKey = Parameters<SubtleCrypto['exportKey']>[1];

/** ECDSA on P-256. The private key should not be extractable; the public key always is. */
export interface DeviceKeyPair {
  privateKey: DeviceKey;
  publicKey: DeviceKey;
}

/** What follows the session in the path; the view has nothing. */
export type DeviceOperation =
  | 'view'
  | 'claim'
  | 'log'
  | 'answer'
  | 'cancel'
  | 'handoff'
  | 'handoff/look'
  | 'handoff/decline'
  | 'handoff/return'
  | 'updates'
  | 'token/challenge'
  | 'token'
  | 'token/local'
  | 'token/forget'
  | 'passkey/options'
  | 'passkey'
  | 'selfie'
  | 'age-key/options'
  | 'age-key'
  | 'wallet/options'
  | 'wallet/link'
  | 'wallet/link/finish'
  | 'wallet'
  | 'age-key/new/options'
  | 'age-key/new';

export interface SignedTextParts {
  method: 'GET' | 'POST';
  sessionId: string;
  operation: DeviceOperation;
  /** The body as it is sent; nothing where there is none. */
  body?: string | Uint8Array<ArrayBuffer> | undefined;
  counter: number;
}

type SubtleCrypto = typeof globalThis.crypto.subtle;

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** A new pair whose private key never leaves the platform. */
export async function generateDeviceKeyPair(): Promise<DeviceKeyPair> {
  return requireSubtle().generateKey(ALGORITHM, false, ['sign', 'verify']);
}

/** The public key as it goes over the wire: an uncompressed point, base64url, 87 characters. */
export async function exportDeviceKey(publicKey: DeviceKey): Promise<string> {
  return encodeBase64url(await exportDeviceKeyBytes(publicKey));
}

/** The same as its 65 bytes. */
export async function exportDeviceKeyBytes(publicKey: DeviceKey): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await requireSubtle().exportKey('raw', publicKey));
}

/** ECDSA with SHA-256: r and s, 64 bytes. */
export async function signText(privateKey: DeviceKey, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array(await requireSubtle().sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, bytes));
}

/** Five lines, joined with line feeds. The path is never that of a proxy or prefix in between. */
export async function signedText({ method, sessionId, operation, body, counter }: SignedTextParts): Promise<string> {
  const path = `/device/sessions/${sessionId}${operation === 'view' ? '' : `/${operation}`}`;
  return ['limen-device-v1', method, path, await hashHex(body ?? ''), counter].join('\n');
}

/** The three headers of a signed call. */
export async function signCall(
  { privateKey, publicKey }: DeviceKeyPair,
  parts: SignedTextParts,
): Promise<Record<string, string>> {
  const signature = await signText(privateKey, await signedText(parts));
  return {
    'limen-device-key': await exportDeviceKey(publicKey),
    'limen-device-counter': String(parts.counter),
    'limen-device-signature': encodeBase64url(signature),
  };
}

/** SHA-256 in lower-case hex. */
export async function hashHex(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const digest = new Uint8Array(await requireSubtle().digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function requireSubtle(): SubtleCrypto {
  const { subtle } = globalThis.crypto as { subtle?: SubtleCrypto };
  if (subtle) return subtle;
  throw new TypeError('the device client needs WebCrypto, which browsers offer on https pages and localhost only');
}
