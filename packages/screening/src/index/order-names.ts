// Sorts the names of an index by birth date, so that searches can skip most of a long list.
import { certainYear } from '../dates/packed-date.ts';
import type { GrowingArray } from './growing-array.ts';
import { allocateSection, type IndexSections } from './screening-index.ts';

/** Names in order of addition, entity by entity. */
export interface BuiltNames {
  entities: GrowingArray<Uint32ArrayConstructor>;
  flags: GrowingArray<Uint16ArrayConstructor>;
  letters: GrowingArray<Uint32ArrayConstructor>;
  tokens: GrowingArray<Uint32ArrayConstructor>;
  tokenOffsets: GrowingArray<Uint32ArrayConstructor>;
}

type NameSections = Pick<
  IndexSections,
  | 'entityNames'
  | 'entityNameCounts'
  | 'yearNames'
  | 'nameEntities'
  | 'nameFlags'
  | 'nameLetters'
  | 'nameTokens'
  | 'nameTokenOffsets'
>;

export const FIRST_YEAR = 1800;
const LAST_YEAR = 2100;
/** Slot 0 holds entities without a single certain year. */
const SLOTS = LAST_YEAR - FIRST_YEAR + 2;
/**
 * Months and days of a packed date. Within a year, people born on the same day are adjacent,
 * because they are requested together.
 */
const DAYS = 1 << 9;

export function orderNames(
  names: BuiltNames,
  entityCount: number,
  dates: Uint32Array,
  dateOffsets: Uint32Array,
): NameSections {
  const count = names.entities.length;
  const slots = new Uint32Array(entityCount);
  for (let entity = 0; entity < entityCount; entity += 1) {
    const year = certainYear(dates, dateOffsets[entity]!, dateOffsets[entity + 1]!);
    if (year < FIRST_YEAR || year > LAST_YEAR) continue;
    slots[entity] = (year - FIRST_YEAR + 1) * DAYS + (dates[dateOffsets[entity]!]! % DAYS);
  }
  const next = new Uint32Array(SLOTS * DAYS);
  for (let name = 0; name < count; name += 1) next[slots[names.entities.at(name)]!]! += 1;
  for (let slot = 1; slot < next.length; slot += 1) next[slot]! += next[slot - 1]!;
  const yearNames = allocateSection('yearNames', SLOTS);
  for (let year = 0; year < SLOTS; year += 1) yearNames[year] = next[(year + 1) * DAYS - 1]!;

  // Fills each slot from the back, so that names of the same day keep their order.
  const sources = new Uint32Array(count);
  for (let name = count - 1; name >= 0; name -= 1) {
    const slot = slots[names.entities.at(name)]!;
    next[slot]! -= 1;
    sources[next[slot]!] = name;
  }

  const sections: NameSections = {
    entityNames: allocateSection('entityNames', entityCount),
    entityNameCounts: allocateSection('entityNameCounts', entityCount),
    yearNames,
    nameEntities: allocateSection('nameEntities', count),
    nameFlags: allocateSection('nameFlags', count),
    nameLetters: allocateSection('nameLetters', count),
    nameTokens: allocateSection('nameTokens', names.tokens.length),
    nameTokenOffsets: allocateSection('nameTokenOffsets', count + 1),
  };
  let at = 0;
  for (let name = 0; name < count; name += 1) {
    const source = sources[name]!;
    const entity = names.entities.at(source);
    if (sections.entityNameCounts[entity] === 0) sections.entityNames[entity] = name;
    sections.entityNameCounts[entity]! += 1;
    sections.nameEntities[name] = entity;
    sections.nameFlags[name] = names.flags.at(source);
    sections.nameLetters[name] = names.letters.at(source);
    const end = names.tokenOffsets.at(source + 1);
    for (let token = names.tokenOffsets.at(source); token < end; token += 1) {
      sections.nameTokens[at] = names.tokens.at(token);
      at += 1;
    }
    sections.nameTokenOffsets[name + 1] = at;
  }
  return sections;
}
