// The one element that was asked for, found among what was disclosed; the rest is counted and not looked at.
import { createHash } from 'node:crypto';
import { decodeCbor, encodeCbor, isBytes, isMap, wrapEncoded } from '../cbor/codec.ts';
import type { DigestAlgorithm } from '../profiles/profiles.ts';
import { refuse } from '../refusals.ts';
import type { MobileSecurityObject } from './mobile-security-object.ts';

export interface DisclosedElement {
  value: unknown;
  /** How many came that nobody asked for. */
  extraElements: number;
}

const HASHES: Readonly<Record<DigestAlgorithm, string>> = {
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
};
/** ISO/IEC 18013-5, 9.1.2.5: what keeps a digest from telling its value. */
const MIN_RANDOM_BYTES = 16;

export function findElement(
  items: ReadonlyMap<string, readonly Uint8Array[]>,
  namespace: string,
  name: string,
  object: MobileSecurityObject,
): DisclosedElement {
  const all = [...items.values()].flat();
  const [found, another] = (items.get(namespace) ?? []).filter((item) => hasName(item, name));
  if (!found) return refuse('element_missing');
  if (another) refuse('element_repeated');
  return { value: readValue(found, name, object), extraElements: all.length - 1 };
}

/** Looks for the name as it stands in the bytes: an item with another one is not read. */
function hasName(item: Uint8Array, name: string): boolean {
  const [key, value] = [encodeCbor('elementIdentifier'), encodeCbor(name)];
  return Buffer.from(item.buffer, item.byteOffset, item.byteLength).includes(Buffer.concat([key, value]));
}

function readValue(item: Uint8Array, name: string, { digests, digestAlgorithm }: MobileSecurityObject): unknown {
  const read = decodeCbor(item);
  // The name may have stood within another element's value.
  if (!isMap(read) || read.get('elementIdentifier') !== name) return refuse('element_malformed');
  const [digestId, random] = [read.get('digestID'), read.get('random')];
  if (typeof digestId !== 'number' || !isBytes(random) || random.length < MIN_RANDOM_BYTES) {
    return refuse('element_malformed');
  }
  const expected = digests.get(digestId);
  if (!isBytes(expected)) return refuse('digest_missing');
  const digest = createHash(HASHES[digestAlgorithm])
    .update(encodeCbor(wrapEncoded(item)))
    .digest();
  if (!digest.equals(expected)) refuse('digest_mismatch');
  return read.get('elementValue');
}
