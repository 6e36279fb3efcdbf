// Paths of requests.
import { Type } from 'typebox';
import type { named } from '../base/ids.ts';

/** Schema of a path parameter that takes any text; the lookup decides whether such a thing exists. */
export function pathName<Name extends ReturnType<typeof named>>(description: string) {
  return Type.Unsafe<Name>({ type: 'string', description });
}

/** Whether a path begins with `prefix`, which ends with a slash. The router decodes escaped letters. */
export function isBelow(prefix: string, path: string): boolean {
  if (path.startsWith(prefix)) return true;
  try {
    return path.includes('%') && decodeURI(path).startsWith(prefix);
  } catch {
    return false;
  }
}
