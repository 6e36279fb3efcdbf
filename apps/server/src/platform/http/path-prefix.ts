// Whether a path belongs to an area.

/** `prefix` ends with a slash. The router takes an escaped letter for the letter itself. */
export function isBelow(prefix: string, path: string): boolean {
  if (path.startsWith(prefix)) return true;
  try {
    return path.includes('%') && decodeURI(path).startsWith(prefix);
  } catch {
    return false;
  }
}
