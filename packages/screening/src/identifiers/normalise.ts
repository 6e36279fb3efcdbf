// Identifiers are written in groups, with dashes and in either case; what is compared is letters and digits alone.
import type { Identifier } from '../entity.ts';
import { hashText } from '../names/hash.ts';
import { isStrong } from './kinds.ts';

/** Shorter ones are met by chance. */
const LEAST_LENGTH = 5;
const MOST_LENGTH = 120;
const IDENTIFIER_SALT = 0x1d;

/** Null for what tells nobody from anybody: too short, too long, one character over and over, or words. */
export function normaliseIdentifier(text: string): string | null {
  const bare = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .replace(/^IMO(?=\d{7}$)/, '');
  if (bare.length < LEAST_LENGTH || bare.length > MOST_LENGTH) return null;
  if (!/\p{N}/u.test(bare) && !isBankCode(bare)) return null;
  return /^(.)\1*$/u.test(bare) ? null : bare;
}

/** Codes of banks may be letters alone. */
function isBankCode(text: string): boolean {
  return /^[A-Z]{8}(?:[A-Z]{3})?$/.test(text);
}

/** By which an entity is found. Two that differ may share one. */
export function hashIdentifier(normalised: string): number {
  return hashText(normalised, IDENTIFIER_SALT);
}

/** Of those that tell somebody by themselves, each once. */
export function identifierKeys(identifiers: readonly Identifier[]): Set<number> {
  const told = identifiers.filter(({ kind }) => isStrong(kind));
  const normalised = told.map(({ value }) => normaliseIdentifier(value)).filter((value) => value !== null);
  return new Set(normalised.map(hashIdentifier));
}
