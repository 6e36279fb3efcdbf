// The one element that was asked for, found among what was disclosed; the rest is counted and not looked at.
import { hash } from 'node:crypto';
import { decodeCbor, encodeCbor, isBytes, isMap } from '../cbor/codec.ts';
import { writeEncoded } from '../cbor/write.ts';
import { type DigestAlgorithm, nameElement, type Profile } from '../profiles/profiles.ts';
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
/** ISO/IEC 18013-5:2021, 9.1.2.5: what keeps a digest from telling its value. */
const MIN_RANDOM_BYTES = 16;

/** Key and value of the name of any `age_over_NN`, up to its two digits. */
const NAME_BEGINS = Buffer.concat([encodeCbor('elementIdentifier'), encodeCbor(nameElement(0))]).subarray(0, -2);
const TWO_DIGITS = /^\d\d$/;

export function findElement(
  items: ReadonlyMap<string, readonly Uint8Array[]>,
  { namespace, takesHigherAge }: Profile,
  ageOver: number,
  object: MobileSecurityObject,
): DisclosedElement {
  const all = [...items.values()].flat();
  const named = (items.get(namespace) ?? []).map((item) => ({ item, age: readAge(item) }));
  const nearest = Math.min(...named.map(({ age }) => age).filter((age) => age >= ageOver));
  if (nearest !== ageOver && !(takesHigherAge && Number.isFinite(nearest))) return refuse('element_missing');
  const [found, another] = named.filter(({ age }) => age === nearest);
  if (!found) return refuse('element_missing');
  if (another) refuse('element_repeated');
  return { value: readValue(found.item, nameElement(nearest), object), extraElements: all.length - 1 };
}

/** What the device says of itself is asked of none (ISO/IEC 18013-5:2021, 8.3.2.1.2.2): by its names alone. */
export function countDeviceElements(namespaces: Uint8Array): number {
  const read = decodeCbor(namespaces);
  const all = isMap(read) ? [...read.values()] : [null];
  return all.reduce<number>(
    (sum, elements) => sum + (isMap(elements) ? elements.size : refuse('response_malformed')),
    0,
  );
}

/** As it stands in the bytes of the name; NaN where there is none: an item with another name is not read. */
function readAge(item: Uint8Array): number {
  const bytes = Buffer.from(item.buffer, item.byteOffset, item.byteLength);
  const at = bytes.indexOf(NAME_BEGINS);
  const digits = at < 0 ? '' : bytes.toString('latin1', at + NAME_BEGINS.length, at + NAME_BEGINS.length + 2);
  return TWO_DIGITS.test(digits) ? Number(digits) : Number.NaN;
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
  const digest = hash(HASHES[digestAlgorithm], Buffer.concat(writeEncoded(item)), 'buffer');
  if (!digest.equals(expected)) refuse('digest_mismatch');
  return read.get('elementValue');
}
