// base64url without padding (RFC 4648, 5), read strictly: one text for one sequence of bytes.

/** Arguments that a call takes on every engine. */
const CHUNK_BYTES = 8192;

export function encodeBase64url(bytes: Uint8Array): string {
  let binary = '';
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(from, from + CHUNK_BYTES));
  }
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Undefined for anything that the encoder does not write: padding, spaces, other letters, stray bits at the end. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = binary.charCodeAt(at);
  // `atob` drops bits beyond the last byte, so that several texts would mean the same.
  return encodeBase64url(bytes.subarray(-(bytes.length % 3 || 3))) === text.slice(-(text.length % 4 || 4))
    ? bytes
    : undefined;
}
