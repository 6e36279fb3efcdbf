// Parses a certificate revocation list (RFC 5280, 5.1) without verifying it.
import { refuse } from '../refusals.ts';
import { normalizeSerial } from '../trust/certificate.ts';

// Just enough DER (X.690) for lists with tens of thousands of entries. The certificate library
// takes a tenth of a millisecond per entry and refuses long lists.

interface DerValue {
  tag: number;
  /** Including tag and length. */
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
  /** Within general names. */
  uri: 0x86,
} as const;

/** Yields the values within. Throws `crl_malformed` if they are not DER. */
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
  // Multi-byte tags do not occur, and indefinite lengths are not DER.
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

export interface Crl {
  /** Signed bytes. */
  signed: Buffer;
  /** Undefined for an unsupported algorithm. */
  algorithm: CrlAlgorithm | undefined;
  signature: Buffer;
  /** Issuer name as bytes. */
  issuer: Buffer;
  thisUpdate: Date;
  nextUpdate: Date | null;
  /** Key identifier, as in certificates. */
  serials: ReadonlySet<string>;
  /** A critical extension, or one that limits the list to some certificates. */
  hasForeignExtension: boolean;
  /** URL at which the list is published. Null if it names none. */
  addresses: readonly string[] | null;
}

export interface CrlAlgorithm {
  /** Null if the key defines its own hash. */
  hash: string | null;
  keyType: 'ec' | 'ed25519';
}

/** Maximum size: about 25,000 certificates. Document authorities revoke a few. */
export const MAX_CRL_BYTES = 1_048_576;

/** Object identifiers as bytes in hex. None of them has parameters. */
const ALGORITHMS: Readonly<Record<string, CrlAlgorithm>> = {
  '300a06082a8648ce3d040302': { hash: 'sha256', keyType: 'ec' },
  '300a06082a8648ce3d040303': { hash: 'sha384', keyType: 'ec' },
  '300a06082a8648ce3d040304': { hash: 'sha512', keyType: 'ec' },
  '300506032b6570': { hash: null, keyType: 'ed25519' },
};
/** Extensions by the bytes of their identifiers. */
const [DELTA_CRL_INDICATOR, ISSUING_DISTRIBUTION_POINT] = ['551d1b', '551d1c'];
const PEM = /^-----BEGIN X509 CRL-----([A-Za-z0-9+/=\s]+)-----END X509 CRL-----\s*$/;
const UTC_TIME = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;
const GENERALIZED_TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;
const TIMES: readonly number[] = [DER.utcTime, DER.generalizedTime];

export function readCrl(bytes: Uint8Array): Crl {
  const der = toDer(bytes);
  if (der.length > MAX_CRL_BYTES) refuse('crl_malformed');
  const [list, trailing] = readDer(der);
  const [signed, algorithm, signature, more] = readSequence(list);
  if (trailing || more || !signed || !algorithm || signature?.tag !== DER.bitString) return refuse('crl_malformed');
  // A signature has whole bytes: the first byte counts the unused bits of the last.
  if (signature.content[0] !== 0) refuse('crl_malformed');
  const parts = readSequence(signed);
  if (parts[0]?.tag === DER.integer) parts.shift();
  const [inner, issuer] = parts.splice(0, 2);
  // RFC 5280, 5.1.1.2: both algorithm fields must be equal.
  if (!inner?.whole.equals(algorithm.whole) || issuer?.tag !== DER.sequence) return refuse('crl_malformed');
  const thisUpdate = readTime(parts.shift());
  const nextUpdate = parts[0] && TIMES.includes(parts[0].tag) ? readTime(parts.shift()) : null;
  const entries = parts[0]?.tag === DER.sequence ? readDer(parts.shift()?.content ?? refuse('crl_malformed')) : [];
  const serials = new Set<string>();
  let hasForeignExtension = false;
  for (const entry of entries) {
    const [serial, date, extensions] = readSequence(entry);
    if (serial?.tag !== DER.integer || !date || !TIMES.includes(date.tag)) return refuse('crl_malformed');
    serials.add(normalizeSerial(serial.content.toString('hex')));
    if (extensions)
      hasForeignExtension ||= readSequence(extensions)
        .map(readExtension)
        .some(({ critical }) => critical);
  }
  const [wrapped, tooMuch] = parts;
  if (tooMuch || (wrapped && wrapped.tag !== DER.first)) return refuse('crl_malformed');
  const said = wrapped ? [...readDer(wrapped.content)].flatMap(readSequence).map(readExtension) : [];
  const points = said
    .filter(({ type }) => type === ISSUING_DISTRIBUTION_POINT)
    .map(({ value }) => readAddresses(value));
  hasForeignExtension ||= points.includes(null) || points.length > 1;
  hasForeignExtension ||= said.some(
    ({ type, critical }) => type === DELTA_CRL_INDICATOR || (critical && type !== ISSUING_DISTRIBUTION_POINT),
  );
  return {
    signed: signed.whole,
    algorithm: ALGORITHMS[algorithm.whole.toString('hex')],
    signature: signature.content.subarray(1),
    issuer: issuer.whole,
    thisUpdate,
    nextUpdate,
    serials,
    hasForeignExtension,
    addresses: points[0] ?? null,
  };
}

function toDer(bytes: Uint8Array): Buffer {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer[0] === DER.sequence) return buffer;
  const base64 = PEM.exec(buffer.toString('latin1'))?.[1] ?? refuse('crl_malformed');
  return Buffer.from(base64, 'base64');
}

function readExtension(extension: DerValue): { type: string; critical: boolean; value: DerValue | undefined } {
  const [type, ...rest] = readSequence(extension);
  const critical = rest[0]?.tag === DER.boolean && rest[0].content[0] !== 0;
  return { type: type?.content.toString('hex') ?? '', critical, value: rest.at(-1) };
}

/**
 * RFC 5280, 5.2.5: accepts a distribution point with only a URL. Returns null if the list covers
 * only some certificates or reasons.
 */
function readAddresses(value: DerValue | undefined): string[] | null {
  const [point] = value?.tag === DER.octetString ? readDer(value.content) : [];
  const [name, more] = readSequence(point);
  if (name?.tag !== DER.first || more) return null;
  const [full] = readDer(name.content);
  if (full?.tag !== DER.first) return null;
  return [...readDer(full.content)]
    .filter(({ tag }) => tag === DER.uri)
    .map(({ content }) => content.toString('latin1'));
}

/** RFC 5280, 4.1.2.5: two-digit years end in 2049. */
function readTime(value: DerValue | undefined): Date {
  const pattern = value?.tag === DER.utcTime ? UTC_TIME : GENERALIZED_TIME;
  const found = value && TIMES.includes(value.tag) ? pattern.exec(value.content.toString('latin1')) : null;
  if (!found) return refuse('crl_malformed');
  const [year = 0, month = 0, ...rest] = found.slice(1).map(Number);
  const century = pattern === GENERALIZED_TIME ? 0 : year < 50 ? 2000 : 1900;
  return new Date(Date.UTC(century + year, month - 1, ...rest));
}
