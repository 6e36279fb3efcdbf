// Parses the mobile security object (ISO/IEC 18013-5:2021, 9.1.2.4), the content signed by the
// issuer.
import { decodeCbor, isBytes, isMap, unwrapEncoded } from '../cbor/codec.ts';
import { readPublicKey, type VerifyingKey } from '../cose/key.ts';
import type { DigestAlgorithm, Profile } from '../profiles/profiles.ts';
import { refuse } from '../refusals.ts';

export interface MobileSecurityObject {
  docType: string;
  digestAlgorithm: DigestAlgorithm;
  /** Digests of the profile's namespace, by digest id. */
  digests: ReadonlyMap<unknown, unknown>;
  deviceKey: VerifyingKey;
  signed: Date;
  validFrom: Date;
  validUntil: Date;
  status: StatusReference | null;
}

/** Location of the attestation's status. */
export interface StatusReference {
  uri: string;
  index: number;
}

const VERSION = '1.0';
const MAX_STATUS_URI = 2048;
const MAX_STATUS_INDEX = 2 ** 31;

export function readSecurityObject(payload: Uint8Array, profile: Profile): MobileSecurityObject {
  const encoded = unwrapEncoded(decodeCbor(payload)) ?? refuse('issuer_auth_malformed');
  const object = decodeCbor(encoded);
  if (!isMap(object)) return refuse('issuer_auth_malformed');
  if (object.get('version') !== VERSION) refuse('mso_version');
  const docType = object.get('docType');
  if (typeof docType !== 'string') return refuse('issuer_auth_malformed');
  const [deviceKeyInfo, validity] = [readMap(object, 'deviceKeyInfo'), readMap(object, 'validityInfo')];
  return {
    docType,
    digestAlgorithm:
      profile.digestAlgorithms.find((name) => name === object.get('digestAlgorithm')) ?? refuse('digest_algorithm'),
    digests: readDigests(readMap(object, 'valueDigests').get(profile.namespace)),
    deviceKey: readPublicKey(deviceKeyInfo.get('deviceKey')) ?? refuse('device_key'),
    signed: readDate(validity, 'signed'),
    validFrom: readDate(validity, 'validFrom'),
    validUntil: readDate(validity, 'validUntil'),
    status: readStatus(object.get('status')),
  };
}

function readMap(from: ReadonlyMap<unknown, unknown>, key: string): Map<unknown, unknown> {
  const value = from.get(key);
  return isMap(value) ? value : refuse('issuer_auth_malformed');
}

function readDigests(digests: unknown): Map<unknown, unknown> {
  if (digests === undefined) return new Map();
  return isMap(digests) && [...digests.values()].every(isBytes) ? digests : refuse('issuer_auth_malformed');
}

function readDate(from: ReadonlyMap<unknown, unknown>, key: string): Date {
  const value = from.get(key);
  return value instanceof Date && !Number.isNaN(value.getTime()) ? value : refuse('issuer_auth_malformed');
}

/** Token Status List, 6.3. Other status mechanisms are ignored. */
function readStatus(status: unknown): StatusReference | null {
  if (status === undefined) return null;
  if (!isMap(status)) return refuse('status_malformed');
  const list = status.get('status_list');
  if (!isMap(list)) return refuse('status_malformed');
  const [uri, index] = [list.get('uri'), list.get('idx')];
  const isIndex = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < MAX_STATUS_INDEX;
  if (!isIndex || typeof uri !== 'string' || !isHttpsUri(uri)) return refuse('status_malformed');
  return { uri, index };
}

function isHttpsUri(uri: string): boolean {
  return uri.length <= MAX_STATUS_URI && URL.canParse(uri) && new URL(uri).protocol === 'https:';
}
