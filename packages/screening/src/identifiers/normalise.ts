// Normalizes identifiers to plain letters and digits. They are written with groups, dashes, labels,
// either case, and in the letters and digits of other scripts.
import type { Identifier } from '../entity.ts';
import { hashText } from '../names/hash.ts';
import { splitVatCountry, stripBranch } from './bank-code.ts';
import { type IdentifierKind, isStrong } from './kinds.ts';
import { readLabel } from './labels.ts';

/** Minimum length. Shorter ones match by chance. */
const LEAST_LENGTH = 5;
const MOST_LENGTH = 120;
const IDENTIFIER_SALT = 0x1d;

/** `No.`, `Nr:` and the like. `NO` without punctuation may be the series of a passport. */
const NUMBER_WORDS = /(?<![\p{L}\p{N}])(?:n(?:o|r|um)?[.:#°º]+|num(?:ber|mer|ero|éro)[.:#]*(?=\s|\d))/giu;
/** `bitcoin:1A1z…?amount=1`: only the wallet address of a payment URL counts. */
const WALLET_ADDRESS = /^\s*[a-z]{3,20}:(?:\/\/)?([0-9a-z]{25,100})(?:[?@/].*)?$/is;

/** Call signs of ships are often this short and may contain no digit. */
const CALL_SIGN = /^[0-9A-Z]{4,7}$/;

/** Returns null for values that identify no one, such as short or repetitive ones. */
export function normalizeIdentifier(text: string, kind?: IdentifierKind): string | null {
  if (text.length > MOST_LENGTH * 4) return null;
  const unlabeled = text
    .replace(WALLET_ADDRESS, '$1')
    // Must run before compatibility forms turn the sign into letters.
    .replace(/№/g, ' ')
    .replace(NUMBER_WORDS, ' ')
    .normalize('NFKC')
    .toUpperCase();
  const bare = (readLabel(unlabeled)?.number ?? unlabeled)
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .replace(/[^0-9A-Z]/gu, plainCharacter)
    // The head office has the bank's code with or without `XXX` (ISO 9362).
    .replace(/^([A-Z]{6}[0-9A-Z]{2})XXX$/, '$1');
  const isCallSign = kind === 'callSign' && CALL_SIGN.test(bare);
  if (!isCallSign && (bare.length < LEAST_LENGTH || bare.length > MOST_LENGTH)) return null;
  if (!isCallSign && !/\p{N}/u.test(bare) && !isBankCode(bare)) return null;
  return /^(.)\1*$/u.test(bare) ? null : bare;
}

/** Cyrillic and Greek capitals and their Latin look-alikes, in the same order. */
const LOOK_ALIKES = new Map(
  [...'АВЕКМНОРСТУХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧ'].map((letter, at) => [letter, 'ABEKMHOPCTYXIJSABEZHIKMNOPTYX'.charAt(at)]),
);
/** Code points of the digit zero in scripts with their own digits. */
const ZEROS = [
  ...[0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0],
  ...[0xf20, 0x1040, 0x17e0, 0x1810],
];

function plainCharacter(character: string): string {
  const letter = LOOK_ALIKES.get(character);
  if (letter !== undefined) return letter;
  const code = character.codePointAt(0)!;
  const zero = ZEROS.find((start) => code >= start && code < start + 10);
  return zero === undefined ? character : String(code - zero);
}

/** Bank codes may consist of letters only. */
function isBankCode(text: string): boolean {
  return /^[A-Z]{8}(?:[A-Z]{3})?$/.test(text);
}

/** Returns the lookup hash of an identifier. Different identifiers may collide. */
export function hashIdentifier(normalized: string): number {
  return hashText(normalized, IDENTIFIER_SALT);
}

/** Returns the lookup keys: whole, without VAT country, without bank branch. */
export function identifierLookupKeys(normalized: string): number[] {
  const shorter = [splitVatCountry(normalized)?.number, stripBranch(normalized)];
  return [normalized, ...shorter.filter((key) => typeof key === 'string')].map(hashIdentifier);
}

/** Returns the keys of all strong identifiers, without duplicates. */
export function identifierKeys(identifiers: readonly Identifier[]): Set<number> {
  const strong = identifiers.filter(({ kind }) => isStrong(kind));
  const normalized = strong.map(({ value }) => normalizeIdentifier(value)).filter((value) => value !== null);
  return new Set(normalized.flatMap(identifierLookupKeys));
}
