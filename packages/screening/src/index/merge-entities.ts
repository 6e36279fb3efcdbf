// Two records of one list that share an id are two halves of what it says about one entity.
import type { Identifier, ListedEntity } from '../entity.ts';

/** The first one says what it is called and what kind it is. */
export function mergeEntities(first: ListedEntity, second: ListedEntity): ListedEntity {
  const both = (list: ValueList) => [...new Set([...first[list], ...second[list]])];
  const names = both('names');
  return {
    ...first,
    names,
    weakNames: both('weakNames').filter((name) => !names.includes(name)),
    birthDates: both('birthDates'),
    countries: both('countries'),
    nationalities: both('nationalities'),
    addresses: both('addresses'),
    positions: both('positions'),
    identifiers: joinIdentifiers(first.identifiers, second.identifiers),
    topics: both('topics'),
    programs: both('programs'),
    datasets: both('datasets'),
    referents: both('referents'),
    firstSeen: pick([first.firstSeen, second.firstSeen], (one, other) => one < other),
    lastSeen: pick([first.lastSeen, second.lastSeen], (one, other) => one > other),
    lastChange: pick([first.lastChange, second.lastChange], (one, other) => one > other),
  };
}

type ValueList = { [Key in keyof ListedEntity]: ListedEntity[Key] extends string[] ? Key : never }[keyof ListedEntity];

function joinIdentifiers(first: readonly Identifier[], second: readonly Identifier[]): Identifier[] {
  const isNew = ({ kind, value }: Identifier) => !first.some((one) => one.kind === kind && one.value === value);
  return [...first, ...second.filter(isNew)];
}

function pick(times: (string | null)[], isBetter: (one: string, other: string) => boolean): string | null {
  return times.reduce((best, time) => (best === null || (time !== null && isBetter(time, best)) ? time : best));
}
