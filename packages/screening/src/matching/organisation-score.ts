// From what agrees in two names of organisations, ships or aircraft to a calibrated score.
//
// Other than people, organisations do not leave words out at will: a word more is mostly another company of the same
// group, and another number is another one of a series. Both are leads, not matches. The constants come from one half of
// the labelled pairs (`npm run bench:screening -- --pairs`); docs/screening.md has the figures of both halves.
import { BEST_LEAD, calibrate } from './score.ts';

/** How two names compare, in weights of their parts; numbers and legal forms are told apart. */
export class OrganisationEvidence {
  /** Matched weight, each part times its similarity. */
  agreed = 0;
  matched = 0;
  /** Words unmatched on the side of the query, and of the list. */
  queryRest = 0;
  listedRest = 0;
  /** How telling the matched parts are together. */
  bits = 0;
  /** Matched parts that are neither small words nor legal forms; and those that are not words of trade either. */
  coreParts = 0;
  namingParts = 0;
  /** Matched parts that say which one it is, on both sides: names, places, numbers. */
  tellingParts = 0;
  /** Whether all that is matched is written the same. */
  isAsWritten = true;
  /** Whether some of it is a translation or an abbreviation. */
  isTranslated = false;
  queryCoreParts = 0;
  listedCoreParts = 0;
  /** Pairs of words that differ in a letter or two and may well be two names, and what those weigh. */
  nearParts = 0;
  nearAgreed = 0;
  nearMatched = 0;
  byAcronym = false;
  /** Of a ship or an aircraft: whether a word ends in another vowel. */
  endsOtherwise = false;
  /** Whether the words that only one side has say what it is, in front of its name. */
  isDescribed = false;
  /** Whether the words that only one side has are words of trade, beside a name that both have. */
  isTradeLeftOut = false;
  /** Whether one of the names is the beginning of the other, word for word. */
  isContinued = false;
  /** Whether a single word of trade follows in the query, and nothing else. */
  isTradeFurther = false;
  /** A country or region that only one side has; two that differ are words that contradict each other. */
  placeOneSided = false;
  /** Two that are written alike, as Iraq and Iran are: neither a slip nor two words. */
  placesDiffer = false;
  numbers: 'same' | 'oneSided' | 'oneDigitOff' | 'different' = 'same';
  /** `opposed`: one has owners, the other has none or belongs to a state. */
  legalForms: 'same' | 'oneSided' | 'different' | 'opposed' = 'same';
}

const CONTRADICTED = 1.6;
const EXTRA = 0.7;

/** Bits that the agreeing parts should have together; what is missing lowers the score. */
const BITS_FOR_WHOLE_NAME = 9;
const BITS_FOR_PART_OF_NAME = 12;
const BITS_FOR_UNLIKENESS = 60;
const TOO_FEW_BITS = 0.35;

const NUMBERS_OFF: Record<OrganisationEvidence['numbers'], number> = {
  same: 0,
  oneSided: 0.21,
  oneDigitOff: 0.21,
  different: 0.25,
};
const PLACE_OFF = 0.26;
/** As much as a number of which one digit is another. */
const PLACES_DIFFER = NUMBERS_OFF.oneDigitOff;
/** A word more is another organisation more often than the same one, however little the word says. */
const WORD_OFF = 0.04;
/** A rest that weighs less is small words. */
const WORD_FROM = 0.3;
const LEGAL_FORMS_OFF: Record<OrganisationEvidence['legalForms'], number> = {
  same: 0,
  oneSided: 0.02,
  different: 0.04,
  opposed: 0.26,
};

/** How high a name gets in which a word is replaced, is merely near, or stands for the whole in short. */
const BEST_CONTRADICTED = 0.69;
const BEST_NEAR = 0.79;
/** Three letters stand for too much. */
const BEST_BY_ACRONYM = 0.77;
const BEST_BY_SHORT_ACRONYM = 0.7;
/** Ships have the same words for names in several languages: Fortuna and Fortune are two as often as one misspelt. */
const BEST_WITH_OTHER_END = 0.86;
/** A description in front of a name leaves it open whether it is the same one. */
const BEST_DESCRIBED = 0.77;
/** A company without its words of trade may be another one of the same name, and is none but of a rare one. */
const BEST_WITHOUT_TRADE = 0.74;
const BITS_OF_RARE_NAME = 12;

/** A name and something behind it: a branch, a town, another company of the group. */
const LEAST_CONTINUED = 0.7;
/** One word that goes on otherwise is the same one only if few have it. */
const BITS_FOR_CONTINUED_WORD = 9;
/** A name as it is listed means that one, though all of its words be words of trade. */
const LEAST_EQUAL = 0.895;

export function scoreOrganisation(evidence: OrganisationEvidence): number {
  const isEqual = isEqualName(evidence);
  if (evidence.matched === 0 || (evidence.coreParts === 0 && !isEqual)) return 0;
  const { queryRest, listedRest } = evidence;
  let raw = rawOrganisation(evidence, queryRest, listedRest);
  if (isEqual) raw = Math.max(raw, LEAST_EQUAL);
  if (isTellingBeginning(evidence)) raw = Math.max(raw, LEAST_CONTINUED);
  if (evidence.isDescribed) raw = Math.max(raw, Math.min(BEST_DESCRIBED, rawOrganisation(evidence, 0, 0)));
  if (evidence.isTradeLeftOut && evidence.bits >= BITS_OF_RARE_NAME && evidence.nearParts === 0)
    raw = Math.max(raw, Math.min(BEST_WITHOUT_TRADE, rawOrganisation(evidence, 0, 0)));
  const score = calibrate(Math.max(0, raw));
  const isAnother = evidence.isTradeFurther && evidence.isAsWritten;
  return isAnother || (evidence.tellingParts === 0 && !isSameName(evidence)) ? Math.min(score, BEST_LEAD) : score;
}

function rawOrganisation(evidence: OrganisationEvidence, queryRest: number, listedRest: number): number {
  const { agreed, matched, coreParts, queryCoreParts, listedCoreParts } = evidence;
  const contradicted = Math.min(queryRest, listedRest);
  const against = CONTRADICTED * contradicted + EXTRA * (Math.max(queryRest, listedRest) - contradicted);
  let raw = agreed / (matched + against);
  const whole = coreParts === queryCoreParts && coreParts === listedCoreParts;
  // How unlike the words are that are taken for the same; what is merely near has its own limit below.
  const unlike =
    agreed - evidence.nearAgreed < matched - evidence.nearMatched
      ? 1 - (agreed - evidence.nearAgreed) / (matched - evidence.nearMatched)
      : 0;
  const wanted = (whole ? BITS_FOR_WHOLE_NAME : BITS_FOR_PART_OF_NAME) + BITS_FOR_UNLIKENESS * unlike;
  raw -= TOO_FEW_BITS * (Math.max(0, wanted - evidence.bits) / wanted);
  raw -= NUMBERS_OFF[evidence.numbers] + LEGAL_FORMS_OFF[evidence.legalForms];
  if (evidence.placeOneSided) raw -= PLACE_OFF;
  if (evidence.placesDiffer) raw -= PLACES_DIFFER;
  if (Math.max(queryRest, listedRest) >= WORD_FROM) raw -= WORD_OFF;
  if (contradicted >= WORD_FROM) raw = Math.min(raw, BEST_CONTRADICTED);
  if (evidence.nearParts > 0) raw = Math.min(raw, BEST_NEAR);
  if (evidence.endsOtherwise) raw = Math.min(raw, BEST_WITH_OTHER_END);
  if (evidence.byAcronym) {
    raw = Math.min(raw, evidence.bits < BITS_FOR_WHOLE_NAME ? BEST_BY_SHORT_ACRONYM : BEST_BY_ACRONYM);
  }
  return raw;
}

function isEqualName(evidence: OrganisationEvidence): boolean {
  const { isAsWritten, queryRest, listedRest, legalForms, numbers, placeOneSided, placesDiffer } = evidence;
  if (!isAsWritten || queryRest + listedRest > 0 || evidence.nearParts > 0 || evidence.byAcronym) return false;
  return legalForms === 'same' && numbers === 'same' && !placeOneSided && !placesDiffer;
}

/** `Commercial Bank of Syria` says which one as well, though each of its words is in many names. */
function isTellingBeginning(evidence: OrganisationEvidence): boolean {
  const { isContinued, coreParts, namingParts, tellingParts, bits, nearParts, byAcronym } = evidence;
  if (!isContinued || nearParts > 0 || byAcronym) return false;
  if (namingParts === 0) return coreParts >= MANY_WORDS && tellingParts > 0;
  return coreParts > 1 || bits >= BITS_FOR_CONTINUED_WORD;
}

/** So many words of trade together are the name of one. */
const MANY_WORDS = 3;

/** `International Trade LLC` is the name of one and of many: only as it is listed does it mean that one. */
function isSameName(evidence: OrganisationEvidence): boolean {
  const { isAsWritten, isTranslated, queryRest, listedRest, legalForms, coreParts } = evidence;
  if (queryRest + listedRest > 0) return false;
  return (isAsWritten && legalForms === 'same') || (coreParts >= MANY_WORDS && !isTranslated);
}

/** The least share of a query's weight that must be matched for a candidate. */
export const LEAST_ORGANISATION_SHARE = 0.3;
