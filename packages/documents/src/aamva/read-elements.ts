// Takes the few elements that are wanted out of an AAMVA barcode's text, however its subfiles are said to lie.

/** The largest PDF417 symbol holds 1,850 characters of text. */
const MAX_CHARACTERS = 4096;

/**
 * `@`, line feed, record separator and carriage return, then `ANSI ` (or `AAMVA` on the oldest cards), the issuer and the
 * version. Readers drop or replace the control characters: what stands between `@` and the letters tells nothing.
 */
const HEADER = /^\s*@\s{0,8}(?:ANSI|AAMVA) ?(\d{6})(\d{2})/;
/** The jurisdiction's own version (not in the first version), the number of subfiles, and where each of them is said to lie. */
const DIRECTORY = /^(?:\d{2}){1,2}((?:[A-Z]{2}\d{8})+)/;
const WANTED = /^(DL|ID|EN)?(DAQ|DAJ|DBA|DBB|DCG)(.*)$/;

type Wanted = 'DAQ' | 'DAJ' | 'DBA' | 'DBB' | 'DCG';

/** `where` names the element, never what was read. */
export type LicenceRefusal = { refused: 'header' | 'fields' | 'date'; where: string };

export interface LicenceElements {
  issuer: string;
  /** Kinds of subfiles. */
  kinds: ReadonlySet<string>;
  elements: ReadonlyMap<Wanted, string>;
}

/**
 * The directory's offsets and lengths are not used: issuers got them wrong so often that they are no help, and they are
 * not needed. Each element is a line of its own that begins with its name, the first one of a subfile behind the
 * subfile's kind, and no name of an element begins like a kind. Lines that a reader has run together are not taken apart.
 */
export function readElements(text: string): LicenceElements | LicenceRefusal {
  if (text.length > MAX_CHARACTERS) return { refused: 'header', where: 'length' };
  const lines = unifySeparators(text);
  const header = HEADER.exec(lines);
  if (!header) return { refused: 'header', where: 'start' };
  const rest = lines.slice(header[0].length);
  const directory = DIRECTORY.exec(rest);
  if (!directory) return { refused: 'header', where: 'subfiles' };

  const kinds = new Set((directory[1]!.match(/[A-Z]{2}(?=\d{8})/g) ?? []).filter((kind) => /^(DL|ID|EN)$/.test(kind)));
  const elements = new Map<Wanted, string>();
  for (const line of rest.slice(directory[0].length).split('\n')) {
    const [, , id, value = ''] = WANTED.exec(line) ?? [];
    if (id === undefined) continue;
    const before = elements.get(id as Wanted);
    // Said twice and differently: nobody knows which of them is true.
    if (before !== undefined && before !== value.trim()) return { refused: 'fields', where: id };
    elements.set(id as Wanted, value.trim());
  }
  return kinds.size > 0 ? { issuer: header[1]!, kinds, elements } : { refused: 'header', where: 'subfiles' };
}

/** Elements, records and segments end with control characters that readers mix up, and nothing else has any. */
function unifySeparators(text: string): string {
  return Array.from(text, (character) => (character < ' ' ? '\n' : character)).join('');
}
