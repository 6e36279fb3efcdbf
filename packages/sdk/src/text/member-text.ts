// Finds a member of a JSON object as the text that it was: parsing would round its numbers and put its keys in order.

const WHITE_SPACE = new Set([' ', '\t', '\n', '\r']);

/**
 * The value's text, white space inside it included; undefined where there is none. Of several members with this name the
 * last one counts, as it does for the parser. `json` must have been parsed before: what is no JSON leads nowhere.
 */
export function findMemberText(json: string, name: string): string | undefined {
  // The parser takes a byte order mark for nothing.
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

/** Compares the text of a JSON string, with its quotation marks, with a name. The text may have escapes. */
function isName(text: string, name: string): boolean {
  return text.includes('\\') ? JSON.parse(text) === name : text.slice(1, -1) === name;
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (WHITE_SPACE.has(json[at] ?? '')) at += 1;
  return at;
}

/** From the opening quotation mark to behind the closing one. */
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
