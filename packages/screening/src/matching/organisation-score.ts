// Turns the evidence of two names of organizations, ships or aircraft into a calibrated score.
//
// Unlike people, organizations do not omit words freely: an extra word usually means another
// company of the group, and a different number another one of a series. Both are leads, not
// matches. The constants come from one half of the labeled pairs (`npm run bench:screening --
// --pairs`); docs/screening.md has the figures of both halves.
import { BEST_LEAD, calibrate } from './score.ts';

/** Comparison of two names in weights of their parts. */
export class OrganizationEvidence {
  /** Sum of weight times similarity of the matched parts. */
  agreed = 0;
  matched = 0;
  /** Unmatched words of the query and of the list. */
  queryRest = 0;
  listedRest = 0;
  /** Total information of the matched parts in bits. */
  bits = 0;
  /** Matched parts other than particles and forms, and those that are not generic either. */
  coreParts = 0;
  namingParts = 0;
  /** Matched parts that identify the organization on both sides: names, places, numbers. */
  tellingParts = 0;
  /** Whether all matched parts are written equally. */
  isAsWritten = true;
  /** Whether any matched part is a translation or an abbreviation. */
  isTranslated = false;
  queryCoreParts = 0;
  listedCoreParts = 0;
  /** Number and weight of pairs that differ in one or two letters and may be different names. */
  nearParts = 0;
  nearAgreed = 0;
  nearMatched = 0;
  byAcronym = false;
  /** For ships and aircraft: whether a word ends in a different vowel. */
  endsOtherwise = false;
  /** Whether the words on only one side are a description before the name. */
  isDescribed = false;
  /** Whether the words on only one side are generic, next to a common name. */
  isTradeLeftOut = false;
  /** Whether one name starts with the whole other one. */
  isContinued = false;
  /** Whether the query only has a single generic word in addition. */
  isTradeFurther = false;
  /** A country or region on only one side. Two different ones are contradicting words. */
  placeOneSided = false;
  /** Two similarly written places, such as Iraq and Iran: neither a typo nor different words. */
  placesDiffer = false;
  numbers: 'same' | 'oneSided' | 'oneDigitOff' | 'different' = 'same';
  /** `opposed`: one has private owners, the other has none or belongs to a state. */
  legalForms: 'same' | 'oneSided' | 'different' | 'opposed' = 'same';
}

const CONTRADICTED = 1.6;
const EXTRA = 0.7;

/** Bits that the matched parts should have together. A shortfall lowers the score. */
const BITS_FOR_WHOLE_NAME = 9;
const BITS_FOR_PART_OF_NAME = 12;
const BITS_FOR_UNLIKENESS = 60;
const TOO_FEW_BITS = 0.35;

const NUMBERS_OFF: Record<OrganizationEvidence['numbers'], number> = {
  same: 0,
  oneSided: 0.21,
  oneDigitOff: 0.21,
  different: 0.25,
};
const PLACE_OFF = 0.26;
/** Equal to a number with one wrong digit. */
const PLACES_DIFFER = NUMBERS_OFF.oneDigitOff;
/** An extra word usually means a different organization, however generic the word. */
const WORD_OFF = 0.04;
/** Minimum weight of a word. Lighter remainders are particles. */
const WORD_FROM = 0.3;
const LEGAL_FORMS_OFF: Record<OrganizationEvidence['legalForms'], number> = {
  same: 0,
  oneSided: 0.02,
  different: 0.04,
  opposed: 0.26,
};

/** Maximum score of a name with a replaced word, a near word, or an abbreviation. */
const BEST_CONTRADICTED = 0.69;
const BEST_NEAR = 0.79;
/** Three letters abbreviate too many names. */
const BEST_BY_ACRONYM = 0.77;
const BEST_BY_SHORT_ACRONYM = 0.7;
/** Ship names occur in several languages: Fortuna and Fortune are two ships as often as a typo. */
const BEST_WITH_OTHER_END = 0.86;
/** A description before the name leaves open whether it is the same one. */
const BEST_DESCRIBED = 0.77;
/** Without its generic words, a name may belong to another company, unless it is rare. */
const BEST_WITHOUT_TRADE = 0.74;
const BITS_OF_RARE_NAME = 12;

/** A name and an addition: a branch, a town, another company of the group. */
const LEAST_CONTINUED = 0.7;
/** A single word with another continuation only matches if the word is rare. */
const BITS_FOR_CONTINUED_WORD = 9;
/** An exact listed name counts as a match, even if all of its words are generic. */
const LEAST_EQUAL = 0.895;

export function scoreOrganization(evidence: OrganizationEvidence): number {
  const isEqual = isEqualName(evidence);
  if (evidence.matched === 0 || (evidence.coreParts === 0 && !isEqual)) return 0;
  const { queryRest, listedRest } = evidence;
  let raw = rawOrganization(evidence, queryRest, listedRest);
  if (isEqual) raw = Math.max(raw, LEAST_EQUAL);
  if (isTellingBeginning(evidence)) raw = Math.max(raw, LEAST_CONTINUED);
  if (evidence.isDescribed) raw = Math.max(raw, Math.min(BEST_DESCRIBED, rawOrganization(evidence, 0, 0)));
  if (evidence.isTradeLeftOut && evidence.bits >= BITS_OF_RARE_NAME && evidence.nearParts === 0)
    raw = Math.max(raw, Math.min(BEST_WITHOUT_TRADE, rawOrganization(evidence, 0, 0)));
  const score = calibrate(Math.max(0, raw));
  const isAnother = evidence.isTradeFurther && evidence.isAsWritten;
  return isAnother || (evidence.tellingParts === 0 && !isSameName(evidence)) ? Math.min(score, BEST_LEAD) : score;
}

function rawOrganization(evidence: OrganizationEvidence, queryRest: number, listedRest: number): number {
  const { agreed, matched, coreParts, queryCoreParts, listedCoreParts } = evidence;
  const contradicted = Math.min(queryRest, listedRest);
  const against = CONTRADICTED * contradicted + EXTRA * (Math.max(queryRest, listedRest) - contradicted);
  let raw = agreed / (matched + against);
  const whole = coreParts === queryCoreParts && coreParts === listedCoreParts;
  // How unlike the matched words are. Near words have their own limit below.
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

function isEqualName(evidence: OrganizationEvidence): boolean {
  const { isAsWritten, queryRest, listedRest, legalForms, numbers, placeOneSided, placesDiffer } = evidence;
  if (!isAsWritten || queryRest + listedRest > 0 || evidence.nearParts > 0 || evidence.byAcronym) return false;
  return legalForms === 'same' && numbers === 'same' && !placeOneSided && !placesDiffer;
}

/** `Commercial Bank of Syria` is distinctive, although each of its words is frequent. */
function isTellingBeginning(evidence: OrganizationEvidence): boolean {
  const { isContinued, coreParts, namingParts, tellingParts, bits, nearParts, byAcronym } = evidence;
  if (!isContinued || nearParts > 0 || byAcronym) return false;
  if (namingParts === 0) return coreParts >= MANY_WORDS && tellingParts > 0;
  return coreParts > 1 || bits >= BITS_FOR_CONTINUED_WORD;
}

/** Number of generic words that together are distinctive. */
const MANY_WORDS = 3;

/** `International Trade LLC` is a frequent name and only matches exactly as listed. */
function isSameName(evidence: OrganizationEvidence): boolean {
  const { isAsWritten, isTranslated, queryRest, listedRest, legalForms, coreParts } = evidence;
  if (queryRest + listedRest > 0) return false;
  return (isAsWritten && legalForms === 'same') || (coreParts >= MANY_WORDS && !isTranslated);
}

/** Minimum share of a query's weight that a candidate must match. */
export const LEAST_ORGANIZATION_SHARE = 0.3;
