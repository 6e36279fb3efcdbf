// JSON texts that are written out again as they came: numbers of any size, the order of keys, escapes and white space.
import { randomUUID } from 'node:crypto';

/** Nobody outside can know it, so that no text can contain it. */
const PLACE = `verbatim-${randomUUID()}`;
const PLACES = new RegExp(`\\{"${PLACE}":(\\d+)\\}`, 'g');

/** The texts of what is being written at the moment; writing is synchronous. Null when nobody puts them in afterwards. */
let open: string[] | null = null;

class Verbatim {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Leaves a place for the text. Outside of `withVerbatim` it is the value, as far as a value can say it. */
  toJSON(): unknown {
    if (!open) return JSON.parse(this.#text);
    return { [PLACE]: open.push(this.#text) - 1 };
  }
}

/** An object that is written as this JSON text of one. Its members cannot be read from it. */
export function verbatim(text: string): Record<string, unknown> {
  return new Verbatim(text) as unknown as Record<string, unknown>;
}

/** What `write` makes, with the texts in it as they came. */
export function withVerbatim(write: () => string): string {
  const outer = open;
  const texts: string[] = [];
  open = texts;
  try {
    const written = write();
    // A function, because a text may have signs in it that a replacement would take for its own.
    return texts.length === 0 ? written : written.replace(PLACES, (_, place: string) => texts[Number(place)] ?? '');
  } finally {
    open = outer;
  }
}

export function writeJson(value: unknown): string {
  return withVerbatim(() => JSON.stringify(value));
}
