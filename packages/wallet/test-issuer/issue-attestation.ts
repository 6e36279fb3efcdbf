// Issues an attestation: elements, their digests, and the mobile security object (ISO/IEC
// 18013-5:2021, 9.1.2).
import { createHash, randomBytes, webcrypto } from 'node:crypto';
import { encodeCbor, encodeDate, wrapEncoded } from '../src/cbor/codec.ts';
import { encodePublicKey } from '../src/cose/key.ts';
import type { StatusReference } from '../src/mdoc/mobile-security-object.ts';
import { signCose } from './sign-cose.ts';
import type { TestIssuer } from './test-issuer.ts';

export interface Attestation {
  docType: string;
  namespace: string;
  /** Bytes within the tag, by element name. */
  items: ReadonlyMap<string, Uint8Array>;
  issuerAuth: readonly unknown[];
  deviceKey: webcrypto.CryptoKey;
}

export interface AttestationOptions {
  /** For example `{ age_over_18: true }`. */
  elements: Readonly<Record<string, unknown>>;
  now: Date;
  validDays?: number;
  status?: StatusReference;
  /** Changes the mobile security object before it is signed. */
  change?: (object: Map<string, unknown>) => void;
}

const DAY_MS = 86_400_000;
const DEVICE_KEY = { name: 'ECDSA', namedCurve: 'P-256' };

export async function issueAttestation(issuer: TestIssuer, options: AttestationOptions): Promise<Attestation> {
  const { docType, namespace } = issuer.profile;
  const deviceKeys = await webcrypto.subtle.generateKey(DEVICE_KEY, true, ['sign', 'verify']);
  const items = new Map(
    Object.entries(options.elements).map(([name, value], digestId) => [name, encodeItem(digestId, name, value)]),
  );
  const digests = new Map([...items.values()].map((item, digestId) => [digestId, digestItem(item)]));
  const object = new Map<string, unknown>([
    ['version', '1.0'],
    ['digestAlgorithm', 'SHA-256'],
    ['valueDigests', new Map([[namespace, digests]])],
    ['deviceKeyInfo', new Map([['deviceKey', encodePublicKey(await exportJwk(deviceKeys.publicKey))]])],
    ['docType', docType],
    ['validityInfo', encodeValidity(options.now, options.validDays ?? 30)],
  ]);
  if (options.status) object.set('status', encodeStatus(options.status));
  options.change?.(object);
  const payload = encodeCbor(wrapEncoded(encodeCbor(object)));
  const [first, ...rest] = issuer.chain;
  const x5chain = rest.length === 0 ? first : issuer.chain;
  const issuerAuth = await signCose(issuer.signingKey, payload, { x5chain });
  return { docType, namespace, items, issuerAuth, deviceKey: deviceKeys.privateKey };
}

export function encodeItem(digestId: number, name: string, value: unknown): Uint8Array {
  return encodeCbor(
    new Map<string, unknown>([
      ['digestID', digestId],
      ['random', randomBytes(32)],
      ['elementIdentifier', name],
      ['elementValue', value],
    ]),
  );
}

export function digestItem(item: Uint8Array): Uint8Array {
  return createHash('sha256')
    .update(encodeCbor(wrapEncoded(item)))
    .digest();
}

function encodeStatus({ uri, index }: StatusReference): Map<string, unknown> {
  const list = new Map<string, unknown>([
    ['idx', index],
    ['uri', uri],
  ]);
  return new Map([['status_list', list]]);
}

export function encodeValidity(now: Date, validDays: number): Map<string, unknown> {
  const start = new Date(now.getTime() - DAY_MS);
  return new Map([
    ['signed', encodeDate(start)],
    ['validFrom', encodeDate(start)],
    ['validUntil', encodeDate(new Date(start.getTime() + validDays * DAY_MS))],
  ]);
}

async function exportJwk(key: webcrypto.CryptoKey): Promise<webcrypto.JsonWebKey> {
  return webcrypto.subtle.exportKey('jwk', key);
}
