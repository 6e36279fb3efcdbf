// Reads a URL without throwing. URL.canParse and URL.parse would do it, but Safari has them only since 17 and 18.

export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
