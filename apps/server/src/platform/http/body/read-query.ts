// Reads the numbers and booleans of a query or path from their text, before the schema is asked.
import type { CompiledCheck } from '../../json/compile-when-used.ts';
import { readPlainDecimal, readPlainInteger } from '../../text/plain-numbers.ts';

interface TextSchema {
  type?: unknown;
  maximum?: number;
}

/** Returns a check that first reads the texts. A text of another form stays a text, and the schema refuses it. */
export function readingTexts(schema: object, validate: CompiledCheck): CompiledCheck {
  const { properties = {} } = schema as { properties?: Record<string, TextSchema> };
  const typed = Object.entries(properties).filter(([, { type }]) => type !== undefined && type !== 'string');
  if (typed.length === 0) return validate;
  const check: CompiledCheck = (given) => {
    const parts = given as Record<string, unknown>;
    for (const [name, part] of typed) {
      const text = parts[name];
      if (typeof text === 'string') parts[name] = readText(text, part) ?? text;
    }
    const isValid = validate(given);
    check.errors = validate.errors;
    return isValid;
  };
  return check;
}

function readText(text: string, { type, maximum }: TextSchema): number | boolean | undefined {
  switch (type) {
    case 'integer':
      return readPlainInteger(text, maximum);
    case 'number':
      return readPlainDecimal(text);
    case 'boolean':
      return text === 'true' || (text === 'false' ? false : undefined);
    default:
      return undefined;
  }
}
