// The name that tokens carry for the model which measured the face.

const NAME_BYTES = 16;

/** The first bytes of its identity, from hex to base64url. */
export function nameModel(identity: string): string {
  const bytes = Array.from({ length: NAME_BYTES }, (_, i) => Number.parseInt(identity.slice(2 * i, 2 * i + 2), 16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
