// Masks secrets in everything that is shown: the page never gets the API key or a result's token.

const MASK = '••••••••';

/** Number of visible characters of a token, so that it is recognizable. */
export function maskToken(token: string): string {
  return `${token.slice(0, 4)}${MASK}`;
}

export interface Secrets {
  apiKey: string;
  token: string | null;
}

/** Returns the value with every secret masked in all texts, including field names. */
export function maskSecrets<T>(value: T, { apiKey, token }: Secrets): T {
  // Also in its JSON-escaped form, if different.
  const escapedKey = JSON.stringify(apiKey).slice(1, -1);
  const mask = (text: string) => {
    const keyless = text.replaceAll(apiKey, MASK).replaceAll(escapedKey, MASK);
    return token === null ? keyless : keyless.replaceAll(token, maskToken(token));
  };
  return walk(value, mask) as T;
}

function walk(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((entry) => walk(entry, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [mask(name), walk(entry, mask)]));
}
