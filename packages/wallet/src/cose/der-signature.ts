// ECDSA signatures as DER (RFC 3279, 2.2.3), which Node takes with a bare key; COSE has the two numbers one after the other
// (RFC 9053, 2.1), and to be told so Node wants an object around the key, which costs it half a verification more.

const [SEQUENCE, INTEGER] = [0x30, 0x02];
/** Lengths above it have a byte that says how many bytes they have. */
const SHORT_LENGTH = 127;

/** Null for a signature of another length. */
export function encodeDer(signature: Uint8Array, scalarBytes: number): Buffer | null {
  if (signature.length !== 2 * scalarBytes) return null;
  const numbers = [signature.subarray(0, scalarBytes), signature.subarray(scalarBytes)].map(encodeInteger);
  const length = numbers.reduce((sum, { length }) => sum + length, 0);
  const head = length > SHORT_LENGTH ? Buffer.of(SEQUENCE, 0x81, length) : Buffer.of(SEQUENCE, length);
  return Buffer.concat([head, ...numbers]);
}

/** Without leading zeros, but for the one that keeps it from being negative. */
function encodeInteger(number: Uint8Array): Buffer {
  let start = 0;
  while (start < number.length - 1 && number[start] === 0) start += 1;
  const digits = number.subarray(start);
  const sign = (digits[0] ?? 0) > SHORT_LENGTH ? [0] : [];
  return Buffer.concat([Buffer.of(INTEGER, digits.length + sign.length, ...sign), digits]);
}
