// Extracts the few required elements of an AAMVA barcode, independent of the stated subfile
// positions.

/** The largest PDF417 symbol holds 1,850 characters of text. */
const MAX_CHARACTERS = 4096;

/**
 * `@`, LF, RS and CR, then `ANSI ` (or `AAMVA` on the oldest cards), issuer and version. Readers
 * drop or replace the control characters, so anything between `@` and the letters is ignored.
 */
const HEADER = /^\s*@\s{0,8}(?:ANSI|AAMVA) ?(\d{6})(\d{2})/;
/** Jurisdiction version (not in version 1), number of subfiles, and their stated positions. */
const DIRECTORY = /^(?:\d{2}){1,2}((?:[A-Z]{2}\d{8})+)/;
const WANTED = /^(DL|ID|EN)?(DAQ|DAJ|DBA|DBB|DCG)(.*)$/;

type Wanted = 'DAQ' | 'DAJ' | 'DBA' | 'DBB' | 'DCG';

/** `where` names the element, never its content. */
export type LicenseRefusal = { refused: 'header' | 'fields' | 'date'; where: string };

export interface LicenseElements {
  issuer: string;
  kinds: ReadonlySet<string>;
  elements: ReadonlyMap<Wanted, string>;
}

/**
 * Ignores the directory's offsets and lengths, which issuers often got wrong. Each element is a
 * line that starts with its name; the first one of a subfile follows the subfile's kind. No element
 * name starts like a kind. Lines joined by a reader are not split.
 */
export function readElements(text: string): LicenseElements | LicenseRefusal {
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
    // Contradicting duplicates are ambiguous.
    if (before !== undefined && before !== value.trim()) return { refused: 'fields', where: id };
    elements.set(id as Wanted, value.trim());
  }
  return kinds.size > 0 ? { issuer: header[1]!, kinds, elements } : { refused: 'header', where: 'subfiles' };
}

/** Readers mix up the control characters, which occur nowhere else. */
function unifySeparators(text: string): string {
  return Array.from(text, (character) => (character < ' ' ? '\n' : character)).join('');
}
