// Identifiers are written in groups, with dashes, in either case, beside words and in the letters and digits of other
// scripts; what is compared is plain letters and digits alone.
import type { Identifier } from '../entity.ts';
import { hashText } from '../names/hash.ts';
import { withoutBranch, withoutVatCountry } from './bank-code.ts';
import { type IdentifierKind, isStrong } from './kinds.ts';
import { readLabel } from './labels.ts';

/** Shorter ones are met by chance. */
const LEAST_LENGTH = 5;
const MOST_LENGTH = 120;
const IDENTIFIER_SALT = 0x1d;

/** `No.`, `Nr:` and the like; without the dot `NO` may be the series of a passport. */
const NUMBER_WORDS = /(?<![\p{L}\p{N}])(?:n(?:o|r|um)?[.:#°º]+|num(?:ber|mer|ero|éro)[.:#]*(?=\s|\d))/giu;
/** `bitcoin:1A1z…?amount=1`: of an address for payments only the wallet counts. */
const WALLET_ADDRESS = /^\s*[a-z]{3,20}:(?:\/\/)?([0-9a-z]{25,100})(?:[?@/].*)?$/is;

/** Those of ships, which begin with the letters of their flag: often no longer than this, and of letters alone. */
const CALL_SIGN = /^[0-9A-Z]{4,7}$/;

/** Null for what tells nobody from anybody: too short, too long, one character over and over, or words. */
export function normaliseIdentifier(text: string, kind?: IdentifierKind): string | null {
  if (text.length > MOST_LENGTH * 4) return null;
  const told = text
    .replace(WALLET_ADDRESS, '$1')
    // Before compatibility forms make letters of them.
    .replace(/№/g, ' ')
    .replace(NUMBER_WORDS, ' ')
    .normalize('NFKC')
    .toUpperCase();
  const bare = (readLabel(told)?.number ?? told)
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .replace(/[^0-9A-Z]/gu, plainCharacter)
    // The head office of a bank has the code of the bank, with or without these letters (ISO 9362).
    .replace(/^([A-Z]{6}[0-9A-Z]{2})XXX$/, '$1');
  const isCallSign = kind === 'callSign' && CALL_SIGN.test(bare);
  if (!isCallSign && (bare.length < LEAST_LENGTH || bare.length > MOST_LENGTH)) return null;
  if (!isCallSign && !/\p{N}/u.test(bare) && !isBankCode(bare)) return null;
  return /^(.)\1*$/u.test(bare) ? null : bare;
}

/** Cyrillic and Greek capitals that look like Latin ones, in their order: series of documents are typed in either. */
const LOOK_ALIKES = new Map(
  [...'АВЕКМНОРСТУХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧ'].map((letter, at) => [letter, 'ABEKMHOPCTYXIJSABEZHIKMNOPTYX'.charAt(at)]),
);
/** Where the digits of the scripts begin that have their own. */
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

/** Codes of banks may be letters alone. */
function isBankCode(text: string): boolean {
  return /^[A-Z]{8}(?:[A-Z]{3})?$/.test(text);
}

/** By which an entity is found. Two that differ may share one. */
export function hashIdentifier(normalised: string): number {
  return hashText(normalised, IDENTIFIER_SALT);
}

/** What one is found by: all of it, a VAT number also without its country, the code of a bank without the branch. */
export function keysOf(normalised: string): number[] {
  const shorter = [withoutVatCountry(normalised)?.number, withoutBranch(normalised)];
  return [normalised, ...shorter.filter((one) => typeof one === 'string')].map(hashIdentifier);
}

/** Of those that tell somebody by themselves, each once. */
export function identifierKeys(identifiers: readonly Identifier[]): Set<number> {
  const told = identifiers.filter(({ kind }) => isStrong(kind));
  const normalised = told.map(({ value }) => normaliseIdentifier(value)).filter((value) => value !== null);
  return new Set(normalised.flatMap(keysOf));
}
