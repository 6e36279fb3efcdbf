// Finds the requested element among the disclosed ones. Others are counted but not read.
import { hash } from 'node:crypto';
import { decodeCbor, encodeCbor, isBytes, isMap } from '../cbor/codec.ts';
import { writeEncoded } from '../cbor/write.ts';
import { type DigestAlgorithm, nameElement, type Profile } from '../profiles/profiles.ts';
import { refuse } from '../refusals.ts';
import type { MobileSecurityObject } from './mobile-security-object.ts';

export interface DisclosedElement {
  value: unknown;
  /** Number of elements that were not requested. */
  extraElements: number;
}

const HASHES: Readonly<Record<DigestAlgorithm, string>> = {
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
};
/** ISO/IEC 18013-5:2021, 9.1.2.5: minimum length of the random value. */
const MIN_RANDOM_BYTES = 16;

/** Encoded key and value of any `age_over_NN` name, up to its two digits. */
const NAME_BEGINS = Buffer.concat([encodeCbor('elementIdentifier'), encodeCbor(nameElement(0))]).subarray(0, -2);
const TWO_DIGITS = /^\d\d$/;

export function findElement(
  items: ReadonlyMap<string, readonly Uint8Array[]>,
  { namespace, takesHigherAge }: Profile,
  ageOver: number,
  object: MobileSecurityObject,
): DisclosedElement {
  const allItems = [...items.values()].flat();
  const named = (items.get(namespace) ?? []).map((item) => ({ item, age: readAge(item) }));
  const nearest = Math.min(...named.map(({ age }) => age).filter((age) => age >= ageOver));
  if (nearest !== ageOver && !(takesHigherAge && Number.isFinite(nearest))) return refuse('element_missing');
  const [found, duplicate] = named.filter(({ age }) => age === nearest);
  if (!found) return refuse('element_missing');
  if (duplicate) refuse('element_repeated');
  return { value: readValue(found.item, nameElement(nearest), object), extraElements: allItems.length - 1 };
}

/**
 * Counts elements signed by the device, which is never asked for any (ISO/IEC 18013-5:2021,
 * 8.3.2.1.2.2), by their names only.
 */
export function countDeviceElements(namespaces: Uint8Array): number {
  const read = decodeCbor(namespaces);
  const all = isMap(read) ? [...read.values()] : [null];
  return all.reduce<number>(
    (sum, elements) => sum + (isMap(elements) ? elements.size : refuse('response_malformed')),
    0,
  );
}

/** Reads the age from the name's bytes. NaN if there is none. */
function readAge(item: Uint8Array): number {
  const bytes = Buffer.from(item.buffer, item.byteOffset, item.byteLength);
  const at = bytes.indexOf(NAME_BEGINS);
  const digits = at < 0 ? '' : bytes.toString('latin1', at + NAME_BEGINS.length, at + NAME_BEGINS.length + 2);
  return TWO_DIGITS.test(digits) ? Number(digits) : Number.NaN;
}

function readValue(item: Uint8Array, name: string, { digests, digestAlgorithm }: MobileSecurityObject): unknown {
  const read = decodeCbor(item);
  // The name may be part of another element's value.
  if (!isMap(read) || read.get('elementIdentifier') !== name) return refuse('element_malformed');
  const [digestId, random] = [read.get('digestID'), read.get('random')];
  if (typeof digestId !== 'number' || !isBytes(random) || random.length < MIN_RANDOM_BYTES) {
    return refuse('element_malformed');
  }
  const expected = digests.get(digestId);
  if (!isBytes(expected)) return refuse('digest_missing');
  const digest = hash(HASHES[digestAlgorithm], Buffer.concat(writeEncoded(item)), 'buffer');
  if (!digest.equals(expected)) refuse('digest_mismatch');
  return read.get('elementValue');
}
