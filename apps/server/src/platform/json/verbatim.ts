// JSON texts that are written out unchanged: numbers of any size, the order of keys, escapes and white space.
import { randomUUID } from 'node:crypto';

/** Random, so that no text from outside can contain it. */
const PLACE = `verbatim-${randomUUID()}`;
const PLACES = new RegExp(`\\{"${PLACE}":(\\d+)\\}`, 'g');

/** Texts of the current `withVerbatim`, or null outside of one. Writing is synchronous. */
let open: string[] | null = null;

/** Returns an object that is written as this JSON text of an object. Its members cannot be read from it. */
export function verbatim(text: string): Record<string, unknown> {
  return {
    /** Leaves a place for the text. Outside of `withVerbatim` it is written as its value. */
    toJSON: () => (open ? { [PLACE]: open.push(text) - 1 } : JSON.parse(text)),
  };
}

/** Returns what `write` returns, with each text in its place. */
export function withVerbatim(write: () => string): string {
  const outer = open;
  const texts: string[] = [];
  open = texts;
  try {
    const written = write();
    // A function, because `$&` in a replacement text has a meaning.
    return texts.length === 0 ? written : written.replace(PLACES, (_, place: string) => texts[Number(place)] ?? '');
  } finally {
    open = outer;
  }
}

export function writeJson(value: unknown): string {
  return withVerbatim(() => JSON.stringify(value));
}
