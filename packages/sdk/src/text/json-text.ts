// Writes JSON with values that JavaScript's numbers cannot hold: BigInts as integers, and verbatim
// texts.
import { mintUuid } from './uuid.ts';

class JsonText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Parsed value for other serializers, with JavaScript's precision. */
  toJSON(): unknown {
    return JSON.parse(this.#text);
  }

  toString(): string {
    return this.#text;
  }
}

/**
 * Represents a JSON text that is sent verbatim: `1.10`, integers beyond 2^53, the order of keys.
 * For `metadata` as a whole, or any value within it.
 */
export function jsonText(text: string): Record<string, unknown> {
  if (typeof text !== 'string' || !isJson(text)) {
    throw new TypeError('jsonText takes a JSON text, such as \'{"order":9007199254740993}\'');
  }
  return new JsonText(text) as unknown as Record<string, unknown>;
}

export function writeJson(value: unknown): string {
  // Unpredictable, so no other text can contain it.
  const place = `json-text-${mintUuid()}-`;
  const texts: string[] = [];
  const written = JSON.stringify(value, function (this: Record<string, unknown>, key, entry: unknown) {
    // The replacer gets the result of `toJSON`, which BigInts may have too. The holder still has
    // the original.
    const held = this[key];
    const special = held instanceof JsonText || typeof held === 'bigint' ? held : entry;
    const keeps = special instanceof JsonText || typeof special === 'bigint';
    return keeps ? place + (texts.push(String(special)) - 1) : entry;
  });
  // A function, because the text may contain replacement patterns.
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
