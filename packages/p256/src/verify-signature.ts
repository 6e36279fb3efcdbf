// Verifies ECDSA signatures in Web Crypto's form: r and s concatenated. Node gets DER and a bare
// key object, because it tries keys inside options as its own objects first, with exceptions, which
// costs half as much again as the verification. Runs on Node's thread pool; handing it over takes a
// tenth of the time.
import { type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';

const verifyInThread = promisify(verify);
/** Maximum concurrency: half of Node's thread pool, which databases need for fsync. */
const AT_ONCE = 2;
let running = 0;
const waiting: (() => void)[] = [];

const NUMBER_BYTES = 32;
export const SIGNATURE_BYTES = 2 * NUMBER_BYTES;
const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** Uses SHA-256. Returns false for a signature of another length. */
export async function verifySignature(key: KeyObject, text: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (signature.length !== SIGNATURE_BYTES) return false;
  if (running < AT_ONCE) running += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await verifyInThread('sha256', text, key, writeDer(signature));
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

/** RFC 3279, 2.2.3: both numbers without leading zeros, except one that keeps the sign. */
function writeDer(signature: Uint8Array): Buffer {
  const numbers = [signature.subarray(0, NUMBER_BYTES), signature.subarray(NUMBER_BYTES)].map(writeInteger);
  const [r, s] = numbers as [Buffer, Buffer];
  return Buffer.concat([Buffer.of(SEQUENCE, r.length + s.length), r, s]);
}

function writeInteger(number: Uint8Array): Buffer {
  let begin = 0;
  while (begin < NUMBER_BYTES - 1 && number[begin] === 0) begin += 1;
  const bytes = number.subarray(begin);
  const sign = bytes[0]! & 0x80 ? [0] : [];
  return Buffer.from([INTEGER, sign.length + bytes.length, ...sign, ...bytes]);
}
