// Writes JSON with what JavaScript's numbers cannot hold: BigInts as integers, and texts that go out as they are.
import { mintUuid } from './uuid.ts';

class JsonText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** For whoever else writes it: the value, as far as JavaScript can say it. */
  toJSON(): unknown {
    return JSON.parse(this.#text);
  }

  toString(): string {
    return this.#text;
  }
}

/**
 * Stands in a request for the value of this JSON text, which is sent as it is: `1.10`, integers beyond 2^53, the order
 * of keys. For `metadata` as a whole, or for any value within it.
 */
export function jsonText(text: string): Record<string, unknown> {
  if (typeof text !== 'string' || !isJson(text)) {
    throw new TypeError('jsonText takes a JSON text, such as \'{"order":9007199254740993}\'');
  }
  return new JsonText(text) as unknown as Record<string, unknown>;
}

export function writeJson(value: unknown): string {
  // Nobody can know it in advance, so no other text can contain it.
  const place = `json-text-${mintUuid()}-`;
  const texts: string[] = [];
  const written = JSON.stringify(value, function (this: Record<string, unknown>, key, entry: unknown) {
    // What has a `toJSON` has become something else by now, BigInts too where somebody gave them one; what holds it has it still.
    const held = this[key];
    const special = held instanceof JsonText || typeof held === 'bigint' ? held : entry;
    const keeps = special instanceof JsonText || typeof special === 'bigint';
    return keeps ? place + (texts.push(String(special)) - 1) : entry;
  });
  // A function, because a text may have signs in it that a replacement would take for its own.
  return texts.length === 0
    ? written
    : written.replace(new RegExp(`"${place}(\\d+)"`, 'g'), (_, at: string) => texts[Number(at)] ?? '');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The parser's error quotes the text, which may be personal.
    return false;
  }
}
