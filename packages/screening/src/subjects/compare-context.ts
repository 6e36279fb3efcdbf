// What speaks for or against a match besides name and date of birth: identifiers, countries, addresses.
import type { ListedEntity } from '../entity.ts';
import { IDENTIFIER_KINDS, type IdentifierKind, isStrong } from '../identifiers/kinds.ts';
import { mayBeSame } from '../identifiers/may-be-same.ts';
import { normaliseIdentifier } from '../identifiers/normalise.ts';
import { compareAddresses } from './compare-addresses.ts';
import { readCountries } from './countries.ts';
import type { ReadIdentifier, ReadSubject } from './subject.ts';

/** How one thing that both sides tell compares. */
export interface Comparison {
  relation: 'equal' | 'alike' | 'differs';
  /** In words. */
  detail: string;
  query: string;
  candidate: string;
}

export interface Context {
  identifier?: Comparison;
  country?: Comparison;
  address?: Comparison;
}

/** Given once to one holder and never changed: two that differ are two holders. */
const FOR_LIFE = new Set<IdentifierKind>(['imoNumber', 'leiCode', 'innCode', 'ogrnCode', 'uniqueEntityId', 'isin']);

export function compareContext(subject: ReadSubject, entity: ListedEntity): Context {
  const identifier = compareIdentifiers(subject.identifiers, entity.identifiers);
  const country = compareCountries(subject.countries, entity.countries);
  const address = compareAddresses(subject.addresses, entity.addresses);
  return { ...(identifier && { identifier }), ...(country && { country }), ...(address && { address }) };
}

function compareIdentifiers(
  asked: readonly ReadIdentifier[],
  listed: ListedEntity['identifiers'],
): Comparison | undefined {
  const known = listed.map((one) => ({ ...one, normalised: normaliseIdentifier(one.value) }));
  let weak: Comparison | undefined;
  for (const one of asked)
    for (const other of known) {
      if (one.normalised !== other.normalised || !mayBeSame(one.kind, other.kind)) continue;
      const detail = `same ${IDENTIFIER_KINDS[other.kind].says}`;
      const sides = { detail, query: one.value, candidate: other.value };
      if (isStrong(one.kind) && isStrong(other.kind)) return { relation: 'equal', ...sides };
      weak ??= { relation: 'alike', ...sides };
    }
  if (weak) return weak;
  for (const one of asked)
    for (const other of known)
      if (one.kind === other.kind && FOR_LIFE.has(other.kind)) {
        const { says } = IDENTIFIER_KINDS[other.kind];
        return { relation: 'differs', detail: `another ${says}`, query: one.value, candidate: other.value };
      }
  return undefined;
}

function compareCountries(asked: ReadonlySet<string>, listed: readonly string[]): Comparison | undefined {
  const known = readCountries(listed);
  if (asked.size === 0 || known.size === 0) return undefined;
  const shared = [...asked].filter((code) => known.has(code));
  const sides = { query: [...asked].join(', '), candidate: [...known].join(', ') };
  if (shared.length > 0) return { relation: 'alike', detail: `same country: ${shared.join(', ')}`, ...sides };
  return { relation: 'differs', detail: 'no country in common', ...sides };
}
