// Writes a listed entity in the format of FollowTheMoney.
import type { YenteEntity, YenteResult } from '@limen/contract';
import { type IdentifierKind, type ListedEntity, readCountry, type SubjectMatch } from '@limen/screening';
import { listKinds } from './schemata.ts';
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
    target: true, // only targets of a list are loaded
    first_seen: writeTime(firstSeen),
    last_seen: writeTime(lastSeen),
    last_change: writeTime(lastChange),
  };
}

/** `threshold` is on the scale of yente. */
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

function writeProperties(entity: ListedEntity): YenteEntity['properties'] {
  const { schema, names, weakNames, caption, birthDates, countries, nationalities } = entity;
  const name = names.includes(caption) ? caption : (names[0] ?? caption);
  const properties: Record<string, string[]> = {
    name: [name],
    alias: names.filter((alias) => alias !== name),
    weakAlias: weakNames,
    // FollowTheMoney has neither circa nor spans.
    birthDate: birthDates.flatMap((date) => date.replaceAll('~', '').split('/').filter(Boolean)),
    country: writeCountries(countries),
    nationality: writeCountries(nationalities),
    address: entity.addresses,
    position: entity.positions,
    topics: entity.topics,
    programId: entity.programs,
  };
  for (const { kind, value } of entity.identifiers) {
    const property = findProperty(kind, schema);
    properties[property] = [...(properties[property] ?? []), value];
  }
  const known = Object.entries(properties).filter(([, values]) => values.length > 0);
  return Object.fromEntries(known.map(([property, values]) => [property, [...new Set(values)]]));
}

const LEGAL_ENTITIES = listKinds('LegalEntity');

/** Most kinds are named like their property. */
function findProperty(kind: IdentifierKind, schema: string): string {
  if (kind === 'hullNumber') return 'registrationNumber';
  if (kind !== 'identifier') return kind;
  return LEGAL_ENTITIES.includes(schema) ? 'idNumber' : 'registrationNumber';
}

/** Codes of unions and disputed territories, such as `eu` and `x-so`. */
const OTHER_CODE = /^(?:[a-z]{2}|[a-z]{1,2}-[a-z0-9]{1,4})$/;

/** Returns codes only. Leaves out other places, such as `Region: Kafia Kingi`. */
export function writeCountries(countries: readonly string[]): string[] {
  return countries.flatMap(
    (country) => readCountry(country) ?? FORMER_CODES.get(plain(country)) ?? (OTHER_CODE.test(country) ? country : []),
  );
}

/** Writes a time to the second, without a zone. */
function writeTime(time: string | null): string | null {
  const [, day, clock = '00:00:00'] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}:\d{2}))?/.exec(time ?? '') ?? [];
  return day === undefined ? null : `${day}T${clock}`;
}

/** Names by code, the shown name first. */
const FORMER_COUNTRIES = new Map([
  ['an', ['Netherlands Antilles', 'ant']],
  ['cshh', ['Czechoslovakia', 'csk']],
  ['csxx', ['Serbia and Montenegro', 'scg']],
  ['suhh', ['Soviet Union', 'USSR', 'Union of Soviet Socialist Republics', 'sun', 'su']],
  ['yucs', ['Yugoslavia', 'yug', 'yu']],
]);

const plain = (name: string) =>
  name
    .toLowerCase()
    .replace(/\(.*\)|^(?:the|former)\b/g, '')
    .replaceAll('&', ' and ')
    .replace(/[^a-z]+/g, ' ')
    .trim();
const FORMER_CODES = new Map(
  [...FORMER_COUNTRIES].flatMap(([code, names]) => [code, ...names].map((name) => [plain(name), code] as const)),
);

export function labelFormerCountry(code: string): string | undefined {
  return FORMER_COUNTRIES.get(code)?.[0];
}
