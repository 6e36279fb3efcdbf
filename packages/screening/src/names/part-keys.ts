// The keys under which a name part is found again: by its spelling, by spellings one letter off, by its consonants.
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

/** Shorter parts must be spelled right: one letter of three makes another name. */
export const MIN_LENGTH_FOR_EDITS = 4;
/** Two consonants say enough where the script has no vowels, and too little where it has. */
const MIN_SKELETON = 2;
const MIN_SKELETON_WITH_VOWELS = 3;
/** Buckets of shorter ones would hold thousands of parts in a large index. */
const MIN_SKELETON_FOR_EDITS = 5;
/** Words that begin alike and are this long may differ in two letters. */
const MIN_LENGTH_FOR_BEGINNING = 6;
const BEGINNING_LENGTH = 4;

export function exactKey(text: string): number {
  return hashText(text, EXACT);
}

export function canonicalKey(canonical: string): number {
  return hashText(canonical, CANONICAL);
}

/** Leads to the parts that may be this Cyrillic name as another language than English spells it. */
export function readingKey(canonical: string): number {
  return hashText(canonical, READING);
}

/** Leads to the parts with vowels whose consonants are these. */
export function skeletonKey(skeleton: string): number {
  return hashText(skeleton, SKELETON);
}

/** What a listed part is filed under. */
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

/** Leads to the words that begin alike; undefined for short ones. */
export function beginningKey(text: string): number | undefined {
  return text.length < MIN_LENGTH_FOR_BEGINNING ? undefined : hashText(text.slice(0, BEGINNING_LENGTH), BEGINNING);
}

/** What is looked up for parts that are not spelled like a query's, in addition to its exact and canonical key. */
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

/** Leaving one letter out on both sides finds a letter added, dropped, replaced or exchanged with its neighbour. */
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
