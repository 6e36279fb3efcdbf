// The words of a file: of its prose, and of its identifiers.

/** Data rather than words: addresses, digests, escapes, and strings without a space. */
const DATA =
  /\b[a-z]+:\/\/\S+|[\w+/=-]{40,}|\\(u\{?[\da-f]{4,6}\}?|x[\da-f]{2}|.)|(?<quote>['"`])[^'"`\s]*\k<quote>|\b[\da-f]*\d[\da-f]*\b/gi;
/** Cut where the case changes: `parseHTTPHeader` is three words. */
const WORD = /\p{Lu}?\p{Ll}+(?:['’]\p{Ll}+)?|\p{Lu}+(?!\p{Ll})/gu;
/** Shorter words are mostly abbreviations. */
const MIN_LETTERS = 4;

export function* listWords(text: string): Generator<{ line: number; word: string }> {
  for (const [index, line] of text.split('\n').entries())
    for (const [word] of line.replaceAll(DATA, ' ').matchAll(WORD))
      if (word.length >= MIN_LETTERS) yield { line: index + 1, word };
}
