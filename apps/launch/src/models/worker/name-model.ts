// The name that tokens carry for the model which measured the face.

const NAME_BYTES = 16;

/** The first bytes of the SHA-256 of its file, from hex to base64url. */
export function nameModel(sha256: string): string {
  const bytes = Array.from({ length: NAME_BYTES }, (_, i) => Number.parseInt(sha256.slice(2 * i, 2 * i + 2), 16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
