// Just enough of DER (X.690) to walk through a list that may have ten thousands of entries: the library that reads certificates
// takes a tenth of a millisecond for each, and refuses long ones.
import { refuse } from '../refusals.ts';

export interface DerValue {
  tag: number;
  /** With tag and length. */
  whole: Buffer;
  content: Buffer;
}

export const DER = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  /** `[0]`, explicit. */
  first: 0xa0,
  /** Among general names. */
  uri: 0x86,
} as const;

/** The values within, one after the other. Throws `crl_malformed` where they are no DER. */
export function* readDer(bytes: Buffer): Generator<DerValue> {
  for (let at = 0; at < bytes.length; ) {
    const value = readOne(bytes, at);
    yield value;
    at += value.whole.length;
  }
}

export function readSequence(value: DerValue | undefined): DerValue[] {
  return value?.tag === DER.sequence ? [...readDer(value.content)] : refuse('crl_malformed');
}

function readOne(bytes: Buffer, at: number): DerValue {
  const [tag, first] = [bytes[at], bytes[at + 1]];
  // Tags of several bytes do not occur, and an indefinite length is not DER.
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f || first === 0x80)
    return refuse('crl_malformed');
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const start = at + 2 + lengthBytes;
  if (lengthBytes > 4 || start > bytes.length) return refuse('crl_malformed');
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
  const isShortest = lengthBytes === 0 || (length >= 0x80 && bytes[at + 2] !== 0);
  if (!isShortest || length > bytes.length - start) return refuse('crl_malformed');
  return { tag, whole: bytes.subarray(at, start + length), content: bytes.subarray(start, start + length) };
}
