// A name as its words and where they stand, for what is cut off it before it is folded.

export interface WordAt {
  text: string;
  start: number;
  end: number;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Without accents and in small letters. */
export function splitWords(name: string): WordAt[] {
  return Array.from(name.matchAll(WORD), ({ 0: word, index }) => ({
    text: word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase(),
    start: index,
    end: index + word.length,
  }));
}

export type Phrases = ReadonlyMap<number, ReadonlySet<string>>;

/** Phrases of a table that has commas between them, by how many words they have, the longest first. */
export function phrasesOf(table: string): Phrases {
  const byLength = new Map<number, Set<string>>();
  for (const phrase of table.trim().split(/\s*,\s*/)) {
    const { length } = phrase.split(' ');
    byLength.set(length, (byLength.get(length) ?? new Set()).add(phrase));
  }
  return new Map([...byLength].toSorted(([one], [other]) => other - one));
}

/** How many words the longest phrase has that begins with a word; 0 for none. */
export function phraseAt(words: readonly WordAt[], at: number, phrases: Phrases): number {
  for (const [length, known] of phrases)
    if (at + length <= words.length && known.has(textOf(words.slice(at, at + length)))) return length;
  return 0;
}

/** The same for a phrase that ends before a word. */
export function phraseBefore(words: readonly WordAt[], end: number, phrases: Phrases): number {
  for (const [length, known] of phrases)
    if (length <= end && known.has(textOf(words.slice(end - length, end)))) return length;
  return 0;
}

function textOf(words: readonly WordAt[]): string {
  return words.map(({ text }) => text).join(' ');
}
