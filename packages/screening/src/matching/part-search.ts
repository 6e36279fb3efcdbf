// Collects the listed parts (tokens) that one part of a query may match.
import { type CyrillicReading, cyrillicReadings } from '../names/cyrillic-spellings.ts';
import { ACRONYM_MARK, isMarked } from '../names/organisation/marks.ts';
import { derivedForms, findOrganizationForms } from '../names/organisation/word-forms.ts';
import { TOKEN_ESTABLISHED, TOKEN_PARTICLE } from '../names/part-class.ts';
import { beginningKey, canonicalKey, exactKey, readingKey, similarKeys } from '../names/part-keys.ts';
import { readsAs, scriptSkeletons } from '../names/script-reading.ts';
import { canonicalSpelling, consonantSkeleton } from '../names/spelling.ts';
import { findNameForms, findOtherForms, isSpelling, type NameForm } from '../names/variants.ts';
import {
  ACRONYM,
  type Likeness,
  NEAR,
  NICKNAME,
  OTHER_FORM,
  OTHER_SCRIPT,
  SAME,
  SIMILARITY,
  SLIP,
  SOUND,
  SPELLING,
} from './likeness.ts';
import type { ListedTokens } from './listed-tokens.ts';
import type { PartComparison } from './part-comparison.ts';
import type { KnownPart } from './part-names.ts';

/** A word for comparison if at least one side is in a script without vowels. */
interface ScriptWord {
  text: string;
  vowelless: boolean;
}

/** Minimum number of consonants. Fewer occur in too many words. */
const MANY_CONSONANTS = 3;

/**
 * Returns 0 unless all consonants match. If only one word has vowels, vowels written in the other
 * must match too, or the similarity is lower.
 */
function scriptSimilarity(left: ScriptWord, right: ScriptWord): number {
  if (left.vowelless && right.vowelless) {
    const skeleton = consonantSkeleton(left.text);
    if (consonantSkeleton(right.text) !== skeleton) return 0;
    return skeleton.length < MANY_CONSONANTS ? SIMILARITY.fewConsonants : SIMILARITY.otherScript;
  }
  const [script, latin] = left.vowelless ? [left.text, right.text] : [right.text, left.text];
  const skeleton = consonantSkeleton(latin);
  if (!scriptSkeletons(script).includes(skeleton)) return 0;
  if (readsAs(script, latin)) return SIMILARITY.read;
  return skeleton.length < MANY_CONSONANTS ? SIMILARITY.fewConsonantsAlone : SIMILARITY.consonantsAlone;
}

/** Maximum number of comparisons per search. Only a crafted list has more similar parts. */
const MAX_COMPARED = 4_000;
/** Short syllables such as Wu, Ho and Ng represent so many family names that they say little. */
const SHORT_FORM = 4;
const NO_READINGS: readonly CyrillicReading[] = [];

export interface PartSearchOptions {
  /** Whether the part is a word in the name of an organization, a ship or an aircraft. */
  isWord: boolean;
  /** Original spelling if the query was written in a script without vowels. */
  script: string | undefined;
  /** Whether the script of the listed parts is unknown, as for subjects. */
  lax: boolean;
}

export class PartSearch {
  readonly found: number[] = [];
  readonly similarities: number[] = [];
  readonly likenesses: Likeness[] = [];
  readonly #part: KnownPart;
  readonly #canonical: string;
  readonly #skeleton: string;
  readonly #options: PartSearchOptions;
  readonly #tokens: ListedTokens;
  readonly #comparison: PartComparison;

  constructor(part: KnownPart, options: PartSearchOptions, tokens: ListedTokens, comparison: PartComparison) {
    this.#part = part;
    this.#canonical = canonicalSpelling(part.text);
    this.#skeleton = consonantSkeleton(part.text);
    this.#options = options;
    this.#tokens = tokens;
    this.#comparison = comparison;
  }

  run(): void {
    const { text, vowelless } = this.#part;
    this.#tokens.beginSearch();
    // Looks up acronyms among words, and possible acronyms among acronyms.
    if (text.startsWith(ACRONYM_MARK)) this.#addExact(text.slice(1), SIMILARITY.acronym, ACRONYM);
    else this.#addExact(text, 1, SAME);
    if (isMarked(text)) return;
    if (!vowelless) this.#addSpellings();
    this.#addSlips();
    if (!this.#options.isWord || vowelless) return;
    this.#addExact(ACRONYM_MARK + text, SIMILARITY.acronym, ACRONYM);
    this.#addBeginnings();
  }

  #add(token: number, similarity: number, likeness: Likeness): void {
    this.#tokens.mark(token);
    this.found.push(token);
    this.similarities.push(similarity);
    this.likenesses.push(likeness);
  }

  #addExact(text: string, similarity: number, likeness: Likeness): void {
    const tokens = this.#tokens;
    tokens.forKey(exactKey(text), (token) => {
      if (!tokens.isNew(token) || tokens.isVowelless(token) !== this.#part.vowelless) return;
      if (!tokens.hasText(token, text)) return;
      this.#add(token, similarity, likeness);
      this.#part.flags |= tokens.table.flagsOf(token) & TOKEN_ESTABLISHED;
    });
  }

  /** Visits the new tokens with vowels that have this canonical spelling. */
  #forCanonical(canonical: string, visit: (token: number) => void): void {
    const tokens = this.#tokens;
    tokens.forKey(canonicalKey(canonical), (token) => {
      if (tokens.isNew(token) && !tokens.isVowelless(token) && tokens.hasCanonical(token, canonical)) visit(token);
    });
  }

  /** Adds the same name in other spellings, transcriptions and forms. */
  #addSpellings(): void {
    const { text } = this.#part;
    const { isWord } = this.#options;
    this.#forCanonical(this.#canonical, (token) => {
      if (isWord && this.#comparison.isOtherAcronym(text, token)) return;
      this.#add(token, this.#isRead(token) ? SIMILARITY.known : SIMILARITY.spelling, SPELLING);
    });
    const readings = isWord ? NO_READINGS : cyrillicReadings(text);
    for (const { canonical } of readings)
      this.#forCanonical(canonical, (token) => this.#add(token, SIMILARITY.transcription, SPELLING));
    if (!isWord) this.#addListedReadings();
    this.#addForms(text, this.#canonical);
    for (const reading of readings) this.#addForms(reading.text, reading.canonical);
  }

  /** Adds listed Cyrillic names in a spelling whose English form is this part. */
  #addListedReadings(): void {
    const tokens = this.#tokens;
    tokens.forKey(readingKey(this.#canonical), (token) => {
      if (!tokens.isNew(token) || tokens.isVowelless(token)) return;
      const readings = cyrillicReadings(tokens.text(token));
      if (readings.some(({ canonical }) => canonical === this.#canonical))
        this.#add(token, SIMILARITY.transcription, SPELLING);
    });
  }

  #addForms(text: string, canonical: string): void {
    const { isWord } = this.#options;
    for (const form of isWord ? formsOfWord(text, canonical) : findNameForms(text, canonical)) {
      this.#forCanonical(form.canonical, (token) => {
        if (!isWord && this.#isOtherName(text, token, form)) return;
        const isShort = !isWord && Math.min(text.length, form.text.length) <= SHORT_FORM;
        const similarity = form.nickname ? SIMILARITY.nickname : isShort ? SIMILARITY.shortForm : SIMILARITY.otherForm;
        this.#add(token, this.#isRead(token) ? SIMILARITY.known : similarity, form.nickname ? NICKNAME : OTHER_FORM);
      });
    }
  }

  /** Returns whether a name that sounds like a form is known to be another name. */
  #isOtherName(text: string, token: number, form: NameForm): boolean {
    const comparison = this.#comparison;
    return (
      comparison.isOtherGender(text, token) ||
      !isSpelling(this.#tokens.text(token), form) ||
      comparison.isOtherGender(this.#part.text, token)
    );
  }

  #isRead(token: number): boolean {
    const { script, lax } = this.#options;
    if (script !== undefined) return readsAs(script, this.#tokens.text(token));
    return lax && consonantSkeleton(this.#tokens.text(token)) === this.#skeleton;
  }

  /** Adds misspellings, and words in scripts without vowels. */
  #addSlips(): void {
    const tokens = this.#tokens;
    const part = this.#part;
    let compared = 0;
    tokens.forKeys(similarKeys(part.text, this.#skeleton, part.vowelless), (token) => {
      if (!tokens.isNew(token)) return;
      tokens.mark(token);
      const isVowelless = tokens.isVowelless(token);
      if (part.vowelless || isVowelless) {
        if (compared++ >= MAX_COMPARED) return;
        const similarity = scriptSimilarity(part, { text: tokens.text(token), vowelless: isVowelless });
        if (similarity > 0) this.#add(token, similarity, part.vowelless === isVowelless ? SPELLING : OTHER_SCRIPT);
        return;
      }
      // A full part is never a misspelled particle, or vice versa.
      if (((part.flags ^ tokens.table.flagsOf(token)) & TOKEN_PARTICLE) !== 0) return;
      if (compared++ < MAX_COMPARED) this.#addSlip(token);
    });
  }

  #addSlip(token: number): void {
    const part = this.#part;
    const comparison = this.#comparison;
    if (!comparison.mayBeSpelledAlike(part, token)) return;
    const similarity = this.#options.isWord
      ? comparison.wordSimilarity(part, token)
      : comparison.nameSimilarity(part, token, false);
    if (similarity === 0) return;
    const soundsAlike = similarity > 0.9 && consonantSkeleton(this.#tokens.text(token)) === this.#skeleton;
    this.#add(token, similarity, soundsAlike ? SOUND : SLIP);
  }

  /** Adds words that start alike and differ in two letters. */
  #addBeginnings(): void {
    const part = this.#part;
    const key = beginningKey(part.text);
    if (key === undefined) return;
    let compared = 0;
    this.#tokens.forKey(key, (token) => {
      if (!this.#tokens.isNew(token) || compared >= MAX_COMPARED || this.#comparison.areTwoPlaces(part, token)) return;
      compared += 1;
      const similarity = this.#comparison.nearness(part, token);
      if (similarity > 0) this.#add(token, similarity, NEAR);
    });
  }
}

function formsOfWord(text: string, canonical: string): NameForm[] {
  const names = findOtherForms(text, canonical).filter(({ nickname }) => !nickname);
  return [...findOrganizationForms(canonical), ...derivedForms(text), ...names];
}
