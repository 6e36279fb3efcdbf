// ECDSA signatures as Web Crypto makes them: r and s one after the other.
// They go to Node as DER under a bare key object: it takes every key inside other options for an object of its own first, by
// exceptions, which costs half as much again as the verification. One of Node's threads verifies: the event loop spends a tenth of
// that on handing it over.
import { type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';

const verifyInThread = promisify(verify);
/** At once: half of the threads that Node has unless told otherwise. Logs of databases are brought to the disk by the others. */
const AT_ONCE = 2;
let running = 0;
const waiting: (() => void)[] = [];

const NUMBER_BYTES = 32;
export const SIGNATURE_BYTES = 2 * NUMBER_BYTES;
const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** With SHA-256. False for a signature of another length. */
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

/** RFC 3279, 2.2.3: both numbers, each without zeros in front, and with one where the first bit would make it negative. */
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
