// base64url without padding (RFC 4648, 5), decoded strictly: one text per byte sequence.

/** Maximum number of call arguments on every engine. */
const CHUNK_BYTES = 8192;

export function encodeBase64url(bytes: Uint8Array): string {
  let binary = '';
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(from, from + CHUNK_BYTES));
  }
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Returns undefined for any text that the encoder does not produce. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = binary.charCodeAt(at);
  // `atob` drops bits beyond the last byte, so several texts would decode to the same bytes.
  return encodeBase64url(bytes.subarray(-(bytes.length % 3 || 3))) === text.slice(-(text.length % 4 || 4))
    ? bytes
    : undefined;
}
