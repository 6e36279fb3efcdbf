// Paths of requests: a part that names something, and whether a path belongs to an area.
import { Type } from 'typebox';
import type { named } from '../base/ids.ts';

/** Any text will do: whether there is such a thing, the look-up says. */
export function pathName<Name extends ReturnType<typeof named>>(description: string) {
  return Type.Unsafe<Name>({ type: 'string', description });
}

/** Returns whether a path belongs to an area. `prefix` ends with a slash. The router takes an escaped letter for the letter itself. */
export function isBelow(prefix: string, path: string): boolean {
  if (path.startsWith(prefix)) return true;
  try {
    return path.includes('%') && decodeURI(path).startsWith(prefix);
  } catch {
    return false;
  }
}
