// Turns matching and contradicting evidence into a calibrated score between 0 and 1.
//
// The raw value is the share of matching evidence in all evidence. A part on only one side says
// little, because people omit parts. A part contradicted by the other side says much. Calibration
// then maps matches that an analyst would stop to 0.95, and matches worth a review to 0.85. The
// constants come from `npm run bench:screening` on its training half; docs/screening.md shows the
// results.
import type { DateRelation } from '../dates/compare-dates.ts';

/** Comparison of two names in weights of their parts. */
export class NameEvidence {
  /** Sum of weight times similarity of the matched parts. */
  agreed = 0;
  /** Weight of the matched parts. */
  matched = 0;
  /** Weight of the unmatched parts of the query and of the list. */
  queryRest = 0;
  listedRest = 0;
  /** Total information of the matched parts in bits. */
  bits = 0;
  /** Matched parts other than particles and initials. */
  coreParts = 0;
  /** Matched initials. */
  initials = 0;
  queryCoreParts = 0;
  listedCoreParts = 0;
  /** Unmatched listed patronymics. */
  missingFathers = 0;
  /** Unmatched parts that are near one another: weight on each side, and weight times nearness. */
  nearParts = 0;
  nearAgreed = 0;
  nearQuery = 0;
  nearListed = 0;
}

const CONTRADICTED = 1.4;
const EXTRA_IN_QUERY = 0.26;
export const EXTRA_IN_LIST = 0.2;

/** Bits that the matched parts should have together. A shortfall lowers the score. */
const BITS_FOR_WHOLE_NAME = 12;
const BITS_FOR_PART_OF_NAME = 20;
/** Few people use a patronymic abroad, so a name without one is nearly complete. */
const BITS_WITHOUT_PATRONYMIC = 19;
/** The less similar the parts are, the more bits they need. */
const BITS_FOR_UNLIKENESS = 120;
const TOO_FEW_BITS = 0.5;

/** One common part out of several is a lead at best. */
const ONE_PART_OF_SEVERAL = 0.76;
const WEAK_ALIAS = 0.86;
/** Maximum score of a name with a near part, and of one with a different part. */
const BEST_NEAR = 0.79;
const BEST_CONTRADICTED = 0.75;
const NEAR_BITS = 4;
/** Lighter remainders on both sides are particles and initials. */
const CONTRADICTION_FROM = 0.4;

/**
 * A matching date removes a share of the remaining doubt, adds to the name's information, and
 * limits the score of an equal name. Other relations are deducted from the raw value.
 */
const CONFIRMS: Partial<Record<DateRelation, { doubt: number; bits: number; best: number }>> = {
  day: { doubt: 0.5, bits: 14, best: 0.995 },
  swapped: { doubt: 0.42, bits: 12, best: 0.992 },
  month: { doubt: 0.35, bits: 9, best: 0.99 },
  year: { doubt: 0.22, bits: 5, best: 0.986 },
  span: { doubt: 0.08, bits: 2, best: 0.983 },
};
const SPEAKS_AGAINST = {
  sameYear: 0.02,
  near: 0.03,
  misread: 0.13,
  off: 0.1,
  apart: 0.17,
  conflict: 0.27,
} as const satisfies Partial<Record<DateRelation, number>>;
/** A date confirms a name that is already likely. It does not make an unlikely one likely. */
const CONFIRMABLE_FROM = 0.62;
const CONFIRMABLE_FULLY = 0.78;

/** Minimum raw value of a candidate. Calibrated it is CANDIDATE_FLOOR. */
const RAW_FLOOR = 0.68;
export const CANDIDATE_FLOOR = 0.5;

/** Scores of a match to stop and of a match to review. */
export const STOP = 0.95;
export const WORTH_A_LOOK = 0.85;
export const BEST_LEAD = 0.8499;
/** Minimum similarity of a weak alias. It only identifies someone as written. */
const AS_WRITTEN = 0.97;
/** Score of an equal name without a date of birth to compare. */
export const EQUAL_NAME = 0.98;

/** Raw to calibrated values, interpolated linearly. */
const CALIBRATION: readonly (readonly [raw: number, score: number])[] = [
  [RAW_FLOOR, CANDIDATE_FLOOR],
  [0.77, 0.78],
  [0.8, WORTH_A_LOOK],
  [0.888, STOP],
  [1, EQUAL_NAME],
];
const IDENTICAL_NAME_AND_DAY = 1;
/** Above the rounding error of summation in a different order. */
const ROUNDING = 1e-9;

/**
 * Minimum share of the query's weight that a candidate must match: in general, with the best date,
 * and with years that are `apart` or in `conflict`.
 */
export const LEAST_SHARE = {
  any: leastShare(CONFIRMABLE_FROM),
  apart: leastShare(RAW_FLOOR + SPEAKS_AGAINST.apart),
  conflict: leastShare(RAW_FLOOR + SPEAKS_AGAINST.conflict),
};

export function scoreOf(name: NameEvidence, weakAlias: boolean, relation: DateRelation): number {
  if (name.matched === 0) return 0;
  const raw = rawName(name, weakAlias, CONFIRMS[relation]?.bits ?? 0);
  const score = scoreRaw(raw, raw === 1 && name.initials === 0, weakAlias, relation);
  return isOneOfSeveral(name) ? Math.min(score, BEST_LEAD) : score;
}

/**
 * Only a given name or only a family name matches: many a Jorge was born on that day. A remainder
 * may be the other half of a split word.
 */
function isOneOfSeveral(name: NameEvidence): boolean {
  const { coreParts, initials, queryCoreParts, listedCoreParts, queryRest } = name;
  return coreParts + initials < 2 && queryCoreParts < 2 && listedCoreParts > 1 && queryRest === 0;
}

/** Increases with the raw value. */
function scoreRaw(raw: number, isIdentical: boolean, weakAlias: boolean, relation: DateRelation): number {
  if (raw === 0) return 0;
  const confirms = CONFIRMS[relation];
  if (confirms) {
    const ramp = Math.min(1, Math.max(0, (raw - CONFIRMABLE_FROM) / (CONFIRMABLE_FULLY - CONFIRMABLE_FROM)));
    const confirmed = raw + (1 - raw) * confirms.doubt * ramp;
    if (relation === 'day' && isIdentical && !weakAlias) return IDENTICAL_NAME_AND_DAY;
    return stretch(calibrate(confirmed), confirms.best);
  }
  const score = calibrate(raw - ((SPEAKS_AGAINST as Partial<Record<DateRelation, number>>)[relation] ?? 0));
  return weakAlias ? Math.min(score, BEST_LEAD) : score;
}

/** Upper bound for the comparison of two names. */
export interface NameOutlook {
  agreed: number;
  matched: number;
  /** Similarity of the matched parts. */
  likeness: number;
  queryRest: number;
  listedRest: number;
  bits: number;
  /** Matched parts that can carry a match, and initials. */
  tellingParts: number;
  /** Whether neither name may have a remainder. */
  whole: boolean;
  /** Whether the listed name may have only patronymics as a remainder. */
  butFathers: boolean;
  /** Whether parts may be paired that no lookup connected. */
  isOpen: boolean;
}

/** Returns the maximum score of any comparison with this outlook, except for rounding. */
export function bestScore(outlook: NameOutlook, weakAlias: boolean, relation: DateRelation): number {
  const { agreed, matched, likeness, queryRest, listedRest, tellingParts, whole, butFathers, isOpen } = outlook;
  if (weakAlias && !(whole && likeness >= AS_WRITTEN - ROUNDING)) return 0;
  const bits = outlook.bits + (CONFIRMS[relation]?.bits ?? 0);
  let raw =
    shareOf(agreed, matched, queryRest, listedRest) - shortfallDeduction(bitsWanted(whole, butFathers), likeness, bits);
  const alone = tellingParts < 2 && !whole ? ONE_PART_OF_SEVERAL : 1;
  const contradicted = Math.min(queryRest, listedRest) >= CONTRADICTION_FROM ? BEST_CONTRADICTED : 1;
  const most = Math.min(alone, contradicted);
  raw = Math.min(raw, isOpen ? Math.max(most, BEST_NEAR) : most);
  return scoreRaw(Math.max(0, raw) + ROUNDING, raw > 1 - ROUNDING, weakAlias, relation);
}

export function isAsWritten({ agreed, matched }: Pick<NameEvidence, 'agreed' | 'matched'>): boolean {
  return agreed >= AS_WRITTEN * matched;
}

function rawName(name: NameEvidence, weakAlias: boolean, dateBits: number): number {
  const { agreed, matched, queryRest, listedRest, coreParts, initials, queryCoreParts, listedCoreParts } = name;
  const bits = name.bits + dateBits;
  const whole = coreParts === queryCoreParts && coreParts === listedCoreParts;
  if (weakAlias && !(whole && isAsWritten(name))) return 0;
  let raw =
    shareOf(agreed, matched, queryRest, listedRest) -
    shortfallDeduction(bitsWanted(whole, isButFathers(name)), agreed / matched, bits);
  if (coreParts + initials < 2 && !whole) raw = Math.min(raw, ONE_PART_OF_SEVERAL);
  if (Math.min(queryRest, listedRest) >= CONTRADICTION_FROM) raw = Math.min(raw, BEST_CONTRADICTED);
  if (name.nearParts > 0) raw = Math.max(raw, Math.min(BEST_NEAR, rawWithNear(name, bits)));
  if (weakAlias) raw = Math.min(raw, WEAK_ALIAS);
  return Math.max(0, raw);
}

/** Counts near parts as equal. */
function rawWithNear(name: NameEvidence, bits: number): number {
  const { agreed, matched, queryRest, listedRest, nearAgreed, nearQuery, nearListed, nearParts } = name;
  const share = shareOf(agreed + nearAgreed, matched + nearListed, queryRest - nearQuery, listedRest - nearListed);
  const paired = name.coreParts + nearParts;
  const whole = paired === name.queryCoreParts && paired === name.listedCoreParts;
  return share - shortfallDeduction(bitsWanted(whole, false), agreed / matched, bits + NEAR_BITS * nearParts);
}

function bitsWanted(whole: boolean, butFathers: boolean): number {
  if (whole) return BITS_FOR_WHOLE_NAME;
  return butFathers ? BITS_WITHOUT_PATRONYMIC : BITS_FOR_PART_OF_NAME;
}

/** Returns whether at least two parts match and only a listed patronymic remains. */
function isButFathers({ coreParts, queryCoreParts, listedCoreParts, missingFathers }: NameEvidence): boolean {
  return coreParts >= 2 && coreParts === queryCoreParts && coreParts + missingFathers === listedCoreParts;
}

/** Deduction if the matched parts have too few bits. */
function shortfallDeduction(least: number, likeness: number, bits: number): number {
  const wanted = least + BITS_FOR_UNLIKENESS * (1 - likeness);
  return TOO_FEW_BITS * (Math.max(0, wanted - bits) / wanted);
}

/** Matching evidence as a share of all evidence. */
function shareOf(agreed: number, matched: number, queryRest: number, listedRest: number): number {
  const contradicted = Math.min(queryRest, listedRest);
  const against =
    CONTRADICTED * contradicted +
    EXTRA_IN_QUERY * (queryRest - contradicted) +
    EXTRA_IN_LIST * (listedRest - contradicted);
  return agreed / (matched + against);
}

export function calibrate(raw: number): number {
  if (raw < RAW_FLOOR) return 0;
  for (let at = 1; at < CALIBRATION.length; at += 1) {
    const [raw1, score1] = CALIBRATION[at]!;
    if (raw > raw1) continue;
    const [raw0, score0] = CALIBRATION[at - 1]!;
    return score0 + ((raw - raw0) / (raw1 - raw0)) * (score1 - score0);
  }
  return CALIBRATION.at(-1)![1];
}

/** The date determines the top of the scale, between a match to stop and an equal name. */
function stretch(score: number, best: number): number {
  const [, top] = CALIBRATION.at(-1)!;
  return score < STOP ? score : STOP + ((score - STOP) / (top - STOP)) * (best - STOP);
}

/** Solved for the share x: x / (x + EXTRA_IN_QUERY (1 - x)) = raw. */
function leastShare(raw: number): number {
  return (raw * EXTRA_IN_QUERY) / (1 - raw + raw * EXTRA_IN_QUERY);
}
