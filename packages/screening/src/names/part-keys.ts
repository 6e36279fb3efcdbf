// Lookup keys of a name part: by spelling, by spellings one letter off, by consonants.
import { cyrillicReadings } from './cyrillic-spellings.ts';
import { hashText, hashWithout } from './hash.ts';
import { isMarked } from './organisation/marks.ts';
import { scriptSkeletons } from './script-reading.ts';
import { canonicalSpelling, consonantSkeleton } from './spelling.ts';

const EXACT = 0x11;
const CANONICAL = 0x23;
const ONE_OFF = 0x37;
const SKELETON = 0x59;
const VOWELLESS_SKELETON = 0x65;
const SKELETON_ONE_OFF = 0x71;
const BEGINNING = 0x83;
const READING = 0x95;

/** Minimum length for typos. One letter of three makes another name. */
export const MIN_LENGTH_FOR_EDITS = 4;
/** Minimum number of consonants: two suffice in scripts without vowels only. */
const MIN_SKELETON = 2;
const MIN_SKELETON_WITH_VOWELS = 3;
/** Minimum length. Buckets of shorter ones would hold thousands of parts in a large index. */
const MIN_SKELETON_FOR_EDITS = 5;
/** Minimum length of words that start alike and may differ in two letters. */
const MIN_LENGTH_FOR_BEGINNING = 6;
const BEGINNING_LENGTH = 4;

export function exactKey(text: string): number {
  return hashText(text, EXACT);
}

export function canonicalKey(canonical: string): number {
  return hashText(canonical, CANONICAL);
}

/** Key of the parts that may be this Cyrillic name in another language's spelling. */
export function readingKey(canonical: string): number {
  return hashText(canonical, READING);
}

/** Key of the parts with vowels that have these consonants. */
export function skeletonKey(skeleton: string): number {
  return hashText(skeleton, SKELETON);
}

/** Returns the keys under which a listed part is filed. */
export function filingKeys(text: string, vowelless: boolean): number[] {
  if (isMarked(text)) return [exactKey(text)];
  const skeleton = consonantSkeleton(text);
  const keys = [exactKey(text)];
  if (vowelless) {
    for (const possible of scriptSkeletons(text))
      if (possible.length >= MIN_SKELETON) keys.push(hashText(possible, VOWELLESS_SKELETON));
  } else {
    keys.push(canonicalKey(canonicalSpelling(text)));
    for (const { canonical } of cyrillicReadings(text)) keys.push(readingKey(canonical));
    addOneOffKeys(keys, text);
    if (skeleton.length >= MIN_SKELETON) keys.push(skeletonKey(skeleton));
    const beginning = beginningKey(text);
    if (beginning !== undefined) keys.push(beginning);
  }
  addSkeletonOneOffKeys(keys, skeleton);
  return keys;
}

/** Returns the key of the words that start alike. Undefined for short ones. */
export function beginningKey(text: string): number | undefined {
  return text.length < MIN_LENGTH_FOR_BEGINNING ? undefined : hashText(text.slice(0, BEGINNING_LENGTH), BEGINNING);
}

/** Returns the lookup keys for other spellings, besides the exact and canonical key. */
export function similarKeys(text: string, skeleton: string, vowelless: boolean): number[] {
  const keys: number[] = [];
  if (vowelless) {
    for (const possible of scriptSkeletons(text)) if (possible.length >= MIN_SKELETON) keys.push(skeletonKey(possible));
  } else {
    addOneOffKeys(keys, text);
    if (skeleton.length >= MIN_SKELETON_WITH_VOWELS) keys.push(skeletonKey(skeleton));
  }
  if (skeleton.length >= MIN_SKELETON) keys.push(hashText(skeleton, VOWELLESS_SKELETON));
  addSkeletonOneOffKeys(keys, skeleton);
  return keys;
}

/** Omitting one letter on both sides finds insertions, deletions, replacements and swaps. */
function addOneOffKeys(keys: number[], text: string): void {
  if (text.length < MIN_LENGTH_FOR_EDITS) return;
  keys.push(hashText(text, ONE_OFF));
  for (let omit = 0; omit < text.length; omit += 1) {
    if (omit === 0 || text[omit] !== text[omit - 1]) keys.push(hashWithout(text, omit, ONE_OFF));
  }
}

function addSkeletonOneOffKeys(keys: number[], skeleton: string): void {
  if (skeleton.length < MIN_SKELETON_FOR_EDITS) return;
  keys.push(hashText(skeleton, SKELETON_ONE_OFF));
  for (let omit = 0; omit < skeleton.length; omit += 1) {
    if (omit === 0 || skeleton[omit] !== skeleton[omit - 1]) keys.push(hashWithout(skeleton, omit, SKELETON_ONE_OFF));
  }
}
