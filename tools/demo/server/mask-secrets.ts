// Takes secrets out of whatever is shown: the page never gets the API key, nor the token that opens a result.

const MASK = '••••••••';

/** Of the token so much stays that one can see that it is the same one everywhere. */
export function maskToken(token: string): string {
  return `${token.slice(0, 4)}${MASK}`;
}

export interface Secrets {
  apiKey: string;
  token: string | null;
}

/** The same value with every secret in any of its texts masked, names of fields included. */
export function maskSecrets<T>(value: T, { apiKey, token }: Secrets): T {
  // As it is written within JSON text too, where that differs.
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
