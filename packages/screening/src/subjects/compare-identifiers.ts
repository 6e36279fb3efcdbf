// Finds the identifiers that a subject shares with a listed entity, their strength, and
// contradictions.
import type { Identifier } from '../entity.ts';
import { isSameBank, isSameNumber, splitVatCountry } from '../identifiers/bank-code.ts';
import { isOfOneRegister, isTelling } from '../identifiers/is-telling.ts';
import { IDENTIFIER_KINDS, type IdentifierKind, isForLife, isStrong } from '../identifiers/kinds.ts';
import { normalizeIdentifier } from '../identifiers/normalise.ts';
import type { ReadIdentifier, ReadSubject } from './subject.ts';

/**
 * Other kinds under which a kind's numbers are listed. In many countries the national identity
 * number is the tax number, and lists use `idNumber` for any document. A passport is never a tax
 * number, nor an INN an OGRN.
 */
const ALSO_CALLED: Partial<Record<IdentifierKind, readonly IdentifierKind[]>> = {
  idNumber: [
    'passportNumber',
    'socialSecurityNumber',
    'taxNumber',
    'vatCode',
    'registrationNumber',
    'innCode',
    'ogrnCode',
  ],
  taxNumber: ['vatCode', 'innCode', 'socialSecurityNumber', 'registrationNumber'],
  vatCode: ['innCode'],
  registrationNumber: ['vatCode', 'innCode', 'ogrnCode', 'okpoCode', 'hullNumber'],
};

/** An unknown kind may be any. */
export function mayBeSame(left: IdentifierKind | undefined, right: IdentifierKind): boolean {
  if (left === undefined || left === right || left === 'identifier' || right === 'identifier') return true;
  return isAlsoCalled(left, right) || isAlsoCalled(right, left);
}

function isAlsoCalled(kind: IdentifierKind, otherKind: IdentifierKind): boolean {
  return ALSO_CALLED[kind]?.includes(otherKind) ?? false;
}

/** Comparison of a fact that both sides have. */
export interface Comparison {
  relation: 'equal' | 'alike' | 'differs';
  /** Explanation in words. */
  detail: string;
  query: string;
  candidate: string;
}

/**
 * `equal` identifies one holder, `shared` may have several holders, `common` has many, `alike` only
 * supports a name. `differs` if nothing matches and a number for life differs.
 */
export interface IdentifierComparison extends Omit<Comparison, 'relation'> {
  relation: Comparison['relation'] | 'shared' | 'common';
  /** Whether the match is a number issued for life. */
  isForLife: boolean;
  /** Whether the match comes from a register that exists once worldwide. */
  isOfOneRegister: boolean;
  /** Whether a number for life differs, with or without a match. */
  isContradicted: boolean;
}

type Agreement = Exclude<IdentifierComparison['relation'], 'differs'>;
interface ListedIdentifier extends Identifier {
  normalised: string;
}
interface Pair {
  relation: Agreement;
  one: ReadIdentifier;
  other: ListedIdentifier;
}

const STRENGTH: Readonly<Record<Agreement, number>> = { equal: 4, shared: 3, common: 2, alike: 1 };
/** Kinds whose numbers may have a country prefix. */
const VAT_KINDS = new Set<IdentifierKind | undefined>(['vatCode', 'taxNumber']);

export function compareIdentifiers(
  subject: Pick<ReadSubject, 'identifiers' | 'countries'>,
  listed: { identifiers: readonly Identifier[]; countries: ReadonlySet<string> },
): IdentifierComparison | undefined {
  if (subject.identifiers.length === 0 || listed.identifiers.length === 0) return undefined;
  const known = listed.identifiers.flatMap((identifier) => {
    const normalized = normalizeIdentifier(identifier.value, identifier.kind);
    return normalized === null ? [] : [{ ...identifier, normalised: normalized }];
  });
  const isOtherCountry = (pair: Omit<Pair, 'relation'>) =>
    areDisjoint(identifierCountries(pair, subject.countries), listed.countries);
  const pairs = subject.identifiers.flatMap((identifier) =>
    known.flatMap((other): Pair[] => {
      if (!isSameIdentifier(identifier, other)) return [];
      return [
        {
          relation: relateIdentifiers(identifier, other, isOtherCountry({ one: identifier, other })),
          one: identifier,
          other,
        },
      ];
    }),
  );
  const [first, ...furtherPairs] = pairs;
  const best = first && furtherPairs.reduce((most, pair) => (rankPair(pair) > rankPair(most) ? pair : most), first);
  const against = findContradiction(subject.identifiers, known, pairs);
  if (!best)
    return (
      against && {
        relation: 'differs',
        isForLife: false,
        isOfOneRegister: false,
        isContradicted: true,
        ...against,
        detail: `another ${against.says}`,
      }
    );
  const { relation, one, other } = best;
  const isOtherBranch = one.normalised !== other.normalised && isSameBank(one.normalised, other.normalised);
  const same = isOtherBranch ? 'same bank, by its SWIFT code' : `same ${IDENTIFIER_KINDS[other.kind].says}`;
  const detail = `${same}${relation === 'common' ? ', which many entities have' : ''}`;
  return {
    relation,
    isForLife: isForLife(other.kind) && one.likelyKind === other.kind,
    isOfOneRegister: isOfOneRegister([one.likelyKind, other.kind]),
    isContradicted: against !== undefined,
    detail: against ? `${detail}, but another ${against.says}: ${against.query}, listed ${against.candidate}` : detail,
    query: one.value,
    candidate: other.value,
  };
}

function rankPair({ relation, one, other }: Pair): number {
  const forLife = isForLife(other.kind) && one.likelyKind === other.kind ? 0.5 : 0;
  return STRENGTH[relation] + forLife + (isOfOneRegister([one.likelyKind, other.kind]) ? 0.25 : 0);
}

function isSameIdentifier(left: ReadIdentifier, right: ListedIdentifier): boolean {
  if (!mayBeSame(left.kind, right.kind)) return false;
  if (left.normalised === right.normalised) return true;
  if (left.kind === 'swiftBic' || right.kind === 'swiftBic') return isSameBank(left.normalised, right.normalised);
  return (VAT_KINDS.has(left.kind) || VAT_KINDS.has(right.kind)) && isSameNumber(left.normalised, right.normalised);
}

function relateIdentifiers(left: ReadIdentifier, right: ListedIdentifier, isOtherCountry: boolean): Agreement {
  if (!isStrong(left.kind) || !isStrong(right.kind)) return 'alike';
  if (left.isCommon) return 'common';
  const { normalised: normalized } = left.normalised.length < right.normalised.length ? left : right;
  return isTelling({ kinds: [left.kind, right.kind], normalised: normalized, isOtherCountry }) ? 'equal' : 'shared';
}

/** Countries of the subject, or the country of its VAT number. */
function identifierCountries({ one }: Pick<Pair, 'one'>, countries: ReadonlySet<string>): ReadonlySet<string> {
  const vat = countries.size === 0 && VAT_KINDS.has(one.kind) ? splitVatCountry(one.normalised) : null;
  return vat ? new Set([vat.country]) : countries;
}

function areDisjoint(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  return left.size > 0 && right.size > 0 && ![...left].some((code) => right.has(code));
}

/** Finds a number for life of a kind known on both sides without any listed match. */
function findContradiction(
  asked: readonly ReadIdentifier[],
  listed: readonly ListedIdentifier[],
  pairs: readonly Pair[],
): { says: string; query: string; candidate: string } | undefined {
  const agreed = new Set(pairs.flatMap(({ one, other }) => [one.likelyKind, other.kind]));
  for (const identifier of asked) {
    if (!isForLife(identifier.likelyKind) || agreed.has(identifier.likelyKind)) continue;
    const listedIdentifier = listed.find(({ kind }) => kind === identifier.likelyKind);
    if (listedIdentifier)
      return {
        says: IDENTIFIER_KINDS[listedIdentifier.kind].says,
        query: identifier.value,
        candidate: listedIdentifier.value,
      };
  }
  return undefined;
}
