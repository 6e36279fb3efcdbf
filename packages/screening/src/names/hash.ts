// Salted hashes of short ASCII texts. The salt gives one text several keys.

/** FNV-1a with a final mix, because buckets use the low bits. */
export function hashText(text: string, salt: number): number {
  let hash = (0x811c9dc5 ^ salt) | 0;
  for (let position = 0; position < text.length; position += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(position), 0x01000193);
  }
  return mix(hash);
}

/** Hashes a text without the letter at `omit`, without building that text. */
export function hashWithout(text: string, omit: number, salt: number): number {
  let hash = (0x811c9dc5 ^ salt) | 0;
  for (let position = 0; position < text.length; position += 1) {
    if (position !== omit) hash = Math.imul(hash ^ text.charCodeAt(position), 0x01000193);
  }
  return mix(hash);
}

function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  return mixed >>> 0;
}
