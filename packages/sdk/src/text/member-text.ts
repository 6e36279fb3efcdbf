// Finds the original text of a JSON object's member, because parsing rounds numbers and reorders
// keys.

const WHITE_SPACE = new Set([' ', '\t', '\n', '\r']);

/**
 * Returns the value's text including inner white space, or undefined. Among several members with this
 * name the last one counts, as in the parser. `json` must be valid JSON.
 */
export function findMemberText(json: string, name: string): string | undefined {
  // The parser skips a byte order mark.
  let at = skipSpace(json, json.startsWith('\uFEFF') ? 1 : 0);
  if (json[at] !== '{') return undefined;
  let found: string | undefined;
  at = skipSpace(json, at + 1);
  while (json[at] === '"') {
    const nameEnd = skipString(json, at);
    const valueStart = skipSpace(json, skipSpace(json, nameEnd) + 1);
    const valueEnd = skipValue(json, valueStart);
    if (isName(json.slice(at, nameEnd), name)) found = json.slice(valueStart, valueEnd);
    at = skipSpace(json, valueEnd);
    if (json[at] === ',') at = skipSpace(json, at + 1);
  }
  return found;
}

/** Compares the text of a JSON string, including quotation marks and escapes, with a name. */
function isName(text: string, name: string): boolean {
  return text.includes('\\') ? JSON.parse(text) === name : text.slice(1, -1) === name;
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (WHITE_SPACE.has(json[at] ?? '')) at += 1;
  return at;
}

/** Returns the position after the closing quotation mark. */
function skipString(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function skipValue(json: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < json.length) {
    const sign = json[at] ?? '';
    if (sign === '"') {
      at = skipString(json, at);
      if (depth === 0) return at;
      continue;
    }
    if (sign === '{' || sign === '[') depth += 1;
    else if (depth === 0 && (sign === ',' || sign === '}' || WHITE_SPACE.has(sign))) return at;
    else if (sign === '}' || sign === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
    at += 1;
  }
  return at;
}
