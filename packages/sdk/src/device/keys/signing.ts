// Signs a device's calls: the signed text, and the headers that carry the signature.
import { encodeBase64url } from '../../text/base64url.ts';

/** A WebCrypto key, independent of the platform's type names. */
export type DeviceKey = Parameters<SubtleCrypto['exportKey']>[1];

/** ECDSA on P-256. The private key should not be extractable; the public key always is. */
export interface DeviceKeyPair {
  privateKey: DeviceKey;
  publicKey: DeviceKey;
}

/** Path after the session id. Empty for the view. */
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
  /** Body as sent. Absent if there is none. */
  body?: string | Uint8Array<ArrayBuffer> | undefined;
  counter: number;
}

type SubtleCrypto = typeof globalThis.crypto.subtle;

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** Creates a pair with a non-extractable private key. */
export async function generateDeviceKeyPair(): Promise<DeviceKeyPair> {
  return requireSubtle().generateKey(ALGORITHM, false, ['sign', 'verify']);
}

/** Returns the public key in wire format: an uncompressed point, base64url, 87 characters. */
export async function exportDeviceKey(publicKey: DeviceKey): Promise<string> {
  return encodeBase64url(await exportDeviceKeyBytes(publicKey));
}

/** Returns the public key as 65 bytes. */
export async function exportDeviceKeyBytes(publicKey: DeviceKey): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await requireSubtle().exportKey('raw', publicKey));
}

/** Returns an ECDSA signature with SHA-256: r and s, 64 bytes. */
export async function signText(privateKey: DeviceKey, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array(await requireSubtle().sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, bytes));
}

/** Returns the signed text: five lines. The path excludes prefixes added by proxies. */
export async function signedText({ method, sessionId, operation, body, counter }: SignedTextParts): Promise<string> {
  const path = `/device/sessions/${sessionId}${operation === 'view' ? '' : `/${operation}`}`;
  return ['limen-device-v1', method, path, await hashHex(body ?? ''), counter].join('\n');
}

/** Returns the three headers of a signed call. */
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

/** Returns the SHA-256 in lower-case hex. */
export async function hashHex(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const digest = new Uint8Array(await requireSubtle().digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function requireSubtle(): SubtleCrypto {
  const { subtle } = globalThis.crypto as { subtle?: SubtleCrypto };
  if (subtle) return subtle;
  throw new TypeError('The device client needs WebCrypto, which browsers offer only on https pages and localhost.');
}
