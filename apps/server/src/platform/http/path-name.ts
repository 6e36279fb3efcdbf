// A part of a path that names something.
import { Type } from 'typebox';
import type { named } from '../base/ids.ts';

/** Any text will do: whether there is such a thing, the look-up says. */
export function pathName<Name extends ReturnType<typeof named>>(description: string) {
  return Type.Unsafe<Name>({ type: 'string', description });
}
