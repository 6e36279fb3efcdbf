// What can be seen of two name parts without comparing them letter by letter: whether one may stand for the other at all.
import { letterBit } from '../index/name-flags.ts';
import type { KnownPart } from '../matching/part-names.ts';
import { countBits } from '../names/edit-cost.ts';

/** What a part looks like from afar: its first letters, all of its letters, what it weighs. */
export interface Look {
  first: number;
  letters: number;
  weight: number;
}

export function lookOf(part: KnownPart): Look {
  return { first: firstLetters(part), letters: part.textLetters, weight: part.weight };
}

/** Begin alike, or have nearly all letters of the shorter one in common. */
export function mayStandFor({ first, letters }: Look, otherFirst: number, otherLetters: number): boolean {
  if ((first & otherFirst) !== 0) return true;
  const fewer = Math.min(countBits(letters), countBits(otherLetters));
  return countBits(letters & otherLetters) >= Math.max(fewer - 2, fewer / 2);
}

export function firstLetters({ codes, canonical }: KnownPart): number {
  return letterBit(codes[0]!) | letterBit(canonical[0]!);
}
