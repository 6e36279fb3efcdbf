// Random UUIDs, even on pages without https, where browsers lack crypto.randomUUID.

interface RandomSource {
  randomUUID?: () => string;
  getRandomValues(bytes: Uint8Array<ArrayBuffer>): Uint8Array;
}

export function mintUuid(source: RandomSource = globalThis.crypto): string {
  if (source.randomUUID) return source.randomUUID();
  const bytes = source.getRandomValues(new Uint8Array(16));
  // RFC 9562, 5.4: version 4, variant 10.
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
