// Microsoft SEAL with our parameters, and the byte layouts of its objects.
import type { MainModule, SEALContext } from 'node-seal';
import { P_BITS, Q_BITS, RING_DEGREE } from './parameters.ts';

export interface Seal {
  readonly library: MainModule;
  readonly context: SEALContext;
}

/** Uncompressed SEAL objects have a head, words of 8 bytes, and for seeded ones a tail. */
export const CIPHERTEXT_HEAD_BYTES = 113;
export const PLAINTEXT_HEAD_BYTES = 88;

const SEAL_MAGIC = 0xa15e;
const HEADER_BYTES = 16;
const VERSION = [4, 1];
const SCALE = 1;

/** Loads the WebAssembly. Pages pass `wasmUrl`; Node uses the package's file. */
export async function loadSeal(wasmUrl?: string): Promise<Seal> {
  const { initialize } = await import('node-seal');
  const library = await initialize(wasmUrl === undefined ? {} : { locateFile: () => wasmUrl });
  const parameters = new library.EncryptionParameters(library.SchemeType.ckks);
  const primes = library.CoeffModulus.Create(RING_DEGREE, Int32Array.from([Q_BITS, P_BITS]));
  parameters.setPolyModulusDegree(RING_DEGREE);
  parameters.setCoeffModulus(primes);
  // SEAL refuses parameters below 128 bits of security here.
  const context = new library.SEALContext(parameters, true, library.SecLevelType.tc128);
  primes.delete();
  parameters.delete();
  if (!context.parametersSet()) {
    throw new Error('SEAL does not accept the parameters.');
  }
  return { library, context };
}

/** Words of SEAL's uncompressed bytes as numbers, all below 2^27. */
export function readWords(bytes: Uint8Array, headBytes: number, from: number, out: Int32Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let index = 0; index < out.length; index++) {
    out[index] = view.getUint32(headBytes + 8 * (from + index), true);
  }
}

export function writeWords(bytes: Uint8Array, headBytes: number, from: number, values: Int32Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let index = 0; index < values.length; index++) {
    view.setUint32(headBytes + 8 * (from + index), values[index]!, true);
  }
}

/** SEAL's bytes of a ciphertext or public key with two polynomials, with zeros for the words. */
export function layOutCiphertext(parmsId: BigUint64Array, primes: number, words: number, tailBytes: number) {
  const bytes = new Uint8Array(CIPHERTEXT_HEAD_BYTES + 8 * words + tailBytes);
  const view = new DataView(bytes.buffer);
  writeSealHeader(bytes, 0, bytes.length);
  parmsId.forEach((word, index) => {
    view.setBigUint64(HEADER_BYTES + 8 * index, word, true);
  });
  // In transformed form; polynomials, degree, primes, scale, correction factor.
  view.setUint8(48, 1);
  view.setUint32(49, 2, true);
  view.setUint32(57, RING_DEGREE, true);
  view.setUint32(65, primes, true);
  view.setFloat64(73, SCALE, true);
  view.setUint32(81, 1, true);
  writeSealHeader(bytes, 89, HEADER_BYTES + 8 + 8 * words);
  view.setUint32(105, words, true);
  return bytes;
}

export function writeSealHeader(bytes: Uint8Array, at: number, size: number) {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, HEADER_BYTES);
  view.setUint16(0, SEAL_MAGIC, true);
  bytes.set([HEADER_BYTES, ...VERSION], at + 2);
  view.setUint32(8, size, true);
}
