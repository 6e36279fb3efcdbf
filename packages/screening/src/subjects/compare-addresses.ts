// Addresses are written in every order and language: what they share in rare words and numbers counts, the rest does not.
import { foldName } from '../names/fold-name.ts';
import type { Comparison } from './compare-context.ts';

/** Share of the shorter one's words that both must have, and how many at least: a town alone is many people's. */
const LEAST_SHARE = 0.7;
const LEAST_WORDS = 3;
const MOST_WORDS = 60;
const MOST_ADDRESSES = 50;

/** An address that is not listed says nothing: people move. */
export function compareAddresses(asked: readonly string[], listed: readonly string[]): Comparison | undefined {
  if (asked.length === 0 || listed.length === 0) return undefined;
  const known = listed.slice(0, MOST_ADDRESSES).map((address) => ({ address, words: wordsOf(address) }));
  for (const one of asked.slice(0, MOST_ADDRESSES)) {
    const words = wordsOf(one);
    const same = known.find((other) => isSame(words, other.words));
    if (same) return { relation: 'alike', detail: 'same address', query: one, candidate: same.address };
  }
  return undefined;
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const shared = [...one].filter((word) => other.has(word));
  const hasNumber = shared.some((word) => /\d/.test(word));
  return hasNumber && shared.length >= LEAST_WORDS && shared.length >= LEAST_SHARE * Math.min(one.size, other.size);
}

function wordsOf(address: string): Set<string> {
  const words = foldName(address).map(({ text }) => text);
  return new Set(words.slice(0, MOST_WORDS));
}
