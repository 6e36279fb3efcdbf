// A listed entity as FollowTheMoney writes it.
import type { YenteEntity, YenteResult } from '@limen/contract';
import { type IdentifierKind, type ListedEntity, readCountry, type SubjectMatch } from '@limen/screening';
import { kindsOf } from './schemata.ts';
import { toYenteScore } from './score-map.ts';

export function writeEntity(entity: ListedEntity): YenteEntity {
  const { id, caption, schema, datasets, referents, firstSeen, lastSeen, lastChange } = entity;
  return {
    id,
    caption,
    schema,
    properties: writeProperties(entity),
    datasets,
    referents,
    target: true, // what is no target of a list is not loaded
    first_seen: writeTime(firstSeen),
    last_seen: writeTime(lastSeen),
    last_change: writeTime(lastChange),
  };
}

/** `threshold` is on their scale. */
export function writeMatch({ entity, score, features }: SubjectMatch, threshold: number): YenteResult {
  const theirs = toYenteScore(score);
  const explanations = Object.entries(features).map(([feature, { agreement, ...compared }]) => {
    return [feature, { score: feature === 'name' ? toYenteScore(agreement) : agreement, ...compared }];
  });
  return {
    ...writeEntity(entity),
    score: theirs,
    match: theirs >= threshold,
    explanations: Object.fromEntries(explanations),
  };
}

/** Only what has a value. */
function writeProperties(entity: ListedEntity): YenteEntity['properties'] {
  const { schema, names, weakNames, caption, birthDates, countries, nationalities } = entity;
  const name = names.includes(caption) ? caption : (names[0] ?? caption);
  const properties: Record<string, string[]> = {
    name: [name],
    alias: names.filter((one) => one !== name),
    weakAlias: weakNames,
    birthDate: birthDates.flatMap(writeDate),
    country: writeCountries(countries),
    nationality: writeCountries(nationalities),
    address: entity.addresses,
    position: entity.positions,
    topics: entity.topics,
    programId: entity.programs,
  };
  for (const { kind, value } of entity.identifiers) {
    const property = propertyOf(kind, schema);
    properties[property] = [...(properties[property] ?? []), value];
  }
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([, values]) => values.length > 0)
      .map(([property, values]) => [property, [...new Set(values)]]),
  );
}

const LEGAL_ENTITIES = kindsOf('LegalEntity');

/** Kinds have the names of their properties; hulls, and one that the list does not tell, have none of their own. */
function propertyOf(kind: IdentifierKind, schema: string): string {
  if (kind === 'hullNumber') return 'registrationNumber';
  if (kind !== 'identifier') return kind;
  return LEGAL_ENTITIES.includes(schema) ? 'idNumber' : 'registrationNumber';
}

/** FollowTheMoney has neither circa nor spans. */
function writeDate(date: string): string[] {
  return date.replaceAll('~', '').split('/').filter(Boolean);
}

/** Of unions and of territories that not everybody calls countries: `eu`, `x-so`. */
const OTHER_CODE = /^(?:[a-z]{2}|[a-z]{1,2}-[a-z0-9]{1,4})$/;

/** Theirs are codes alone: what is no country, such as `Region: Kafia Kingi`, is left out. */
export function writeCountries(countries: readonly string[]): string[] {
  return countries.flatMap(
    (country) => readCountry(country) ?? findFormerCountry(country)?.code ?? (OTHER_CODE.test(country) ? country : []),
  );
}

/** To the second, without a zone. */
function writeTime(time: string | null): string | null {
  const [, day, clock = '00:00:00'] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}:\d{2}))?/.exec(time ?? '') ?? [];
  return day === undefined ? null : `${day}T${clock}`;
}

interface FormerCountry {
  code: string;
  /** The first as it is shown. */
  names: readonly string[];
}

const FORMER_COUNTRIES: readonly FormerCountry[] = [
  { code: 'an', names: ['Netherlands Antilles', 'ant'] },
  { code: 'cshh', names: ['Czechoslovakia', 'csk'] },
  { code: 'csxx', names: ['Serbia and Montenegro', 'scg'] },
  { code: 'suhh', names: ['Soviet Union', 'USSR', 'Union of Soviet Socialist Republics', 'sun', 'su'] },
  { code: 'yucs', names: ['Yugoslavia', 'yug', 'yu'] },
];

const plain = (name: string) =>
  name
    .toLowerCase()
    .replace(/\(.*\)|^(?:the|former)\b/g, '')
    .replaceAll('&', ' and ')
    .replace(/[^a-z]+/g, ' ')
    .trim();
const BY_NAME = new Map(
  FORMER_COUNTRIES.flatMap((country) =>
    [country.code, ...country.names].map((name) => [plain(name), country] as const),
  ),
);

function findFormerCountry(name: string): FormerCountry | undefined {
  return BY_NAME.get(plain(name));
}

export function labelFormerCountry(code: string): string | undefined {
  return FORMER_COUNTRIES.find((country) => country.code === code)?.names[0];
}
