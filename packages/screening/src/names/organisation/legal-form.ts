// Finds the legal form in the words of a name, however it is written: `sp. z o.o.`, `S.A.R.L.`, `Общество с …`.
import { type FoldedPart, foldName } from '../fold-name.ts';
import { LEGAL_FORM_GROUPS, type LegalGroup, ONLY_AT_THE_ENDS } from '../tables/legal-forms.ts';
import { words } from '../tables/words.ts';

interface LegalForm {
  words: readonly string[];
  group: LegalGroup;
  onlyAtEnds: boolean;
}

/** Words this long are legal forms with one letter wrong, too: nothing else comes near them. */
const MIN_LENGTH_FOR_SLIPS = 9;

let compiled: { byFirstWord: Map<string, LegalForm[]>; slips: Map<string, string> } | undefined;

/** The text of a part, such that a Chinese or Korean character is not taken for a word of other scripts. */
export function plainText({ text, syllabic }: Pick<FoldedPart, 'text' | 'syllabic'>): string {
  return syllabic ? `~${text}` : text;
}

/** The legal form that begins at a word, the longest of them, and how many words it takes. */
export function legalFormAt(texts: readonly string[], at: number): { group: LegalGroup; length: number } | undefined {
  const { byFirstWord, slips } = tables();
  const word = texts[at]!;
  for (const form of byFirstWord.get(word) ?? byFirstWord.get(rightSpelling(word, slips)) ?? []) {
    const end = at + form.words.length;
    if (end > texts.length) continue;
    // A name is never its legal form alone.
    if (form.onlyAtEnds && ((at > 0 && end < texts.length) || form.words.length === texts.length)) continue;
    if (form.words.every((other, place) => place === 0 || texts[at + place] === other)) {
      return { group: form.group, length: form.words.length };
    }
  }
  return undefined;
}

function rightSpelling(word: string, slips: Map<string, string>): string {
  if (word.length < MIN_LENGTH_FOR_SLIPS - 1) return '';
  const known = slips.get(word);
  if (known !== undefined) return known;
  for (let omit = 0; omit < word.length; omit += 1) {
    const found = slips.get(word.slice(0, omit) + word.slice(omit + 1));
    if (found !== undefined) return found;
  }
  return '';
}

function tables() {
  compiled ??= compile(); // with the first name, because not everybody who loads the package screens
  return compiled;
}

function compile() {
  const byFirstWord = new Map<string, LegalForm[]>();
  const slips = new Map<string, string>();
  const atEnds = new Set(words(ONLY_AT_THE_ENDS));
  for (const [group, block] of Object.entries(LEGAL_FORM_GROUPS) as [LegalGroup, string][]) {
    for (const phrase of block.split(',')) {
      const texts = foldName(phrase.trim()).map(plainText);
      const [first] = texts;
      if (first === undefined) continue;
      const form = { words: texts, group, onlyAtEnds: texts.length === 1 && atEnds.has(first) };
      byFirstWord.set(first, [...(byFirstWord.get(first) ?? []), form]);
      // The initials of `S.R.L.` come joined.
      if (texts.length > 1 && texts.every((text) => text.length === 1)) {
        const joined = texts.join('');
        const whole = { words: [joined], group, onlyAtEnds: atEnds.has(joined) };
        byFirstWord.set(joined, [...(byFirstWord.get(joined) ?? []), whole]);
      }
      if (first.length < MIN_LENGTH_FOR_SLIPS) continue;
      slips.set(first, first);
      for (let omit = 0; omit < first.length; omit += 1) slips.set(first.slice(0, omit) + first.slice(omit + 1), first);
    }
  }
  for (const forms of byFirstWord.values()) forms.sort((a, b) => b.words.length - a.words.length);
  return { byFirstWord, slips };
}

/** Where a word ends in a legal form that was written onto it: `SiemensAG`. 0 where it does not. */
export function gluedLegalForm(word: string): number {
  for (let cut = Math.max(4, word.length - 4); cut <= word.length - 2; cut += 1) {
    if (isLegalWord(word.slice(cut))) return cut;
  }
  return 0;
}

/** Whether a word is a legal form by itself. */
export function isLegalWord(word: string): boolean {
  return (
    tables()
      .byFirstWord.get(word)
      ?.some(({ words: texts }) => texts.length === 1) ?? false
  );
}
