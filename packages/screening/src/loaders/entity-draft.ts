// Collects a list's data about one entity, cleans it, and decides whether it can be screened.
import { emptyEntity, type ListedEntity, MAX_IDENTIFIERS, MAX_NAME_LENGTH, MAX_VALUES } from '../entity.ts';
import type { IdentifierKind } from '../identifiers/kinds.ts';
import { describeRecord, type LoadReport, noteBroken, noteProblem } from './reading/load-report.ts';

const MAX_ID_LENGTH = 255;
/** Maximum length of an identifier. Longer ones are sentences. */
const MAX_IDENTIFIER_LENGTH = 200;
/** Maximum number of flaws reported per entity. */
const MAX_FLAWS = 50;

export interface EntityDraft {
  entity: ListedEntity;
  /** Line where the entity was first seen. */
  line: number;
  /** Values that could not be read and were left out. */
  flaws: string[];
  /** Approximate number of characters. */
  size: number;
  /** Values per list, for constant-time lookup. */
  held: Map<string[], Set<string>>;
}

export function createDraft(id: string, schema: string, line: number, dataset: string, topics: string[]): EntityDraft {
  const entity: ListedEntity = {
    ...emptyEntity(cleanText(id), schema),
    topics,
    datasets: [dataset],
  };
  return { entity, line, flaws: [], size: 200, held: new Map() };
}

/** Trims, collapses spaces, and removes control characters and lone surrogates. */
export function cleanText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  const trimmed = wellFormed.trim();
  return / {2}|[^\S ]|\p{Cc}/u.test(trimmed) ? trimmed.replace(/[\s\p{Cc}]+/gu, ' ').trim() : trimmed;
}

export function addName(draft: EntityDraft, list: 'names' | 'weakNames', text: string): void {
  const name = cleanText(text);
  // Names without a letter or digit, such as `-`, are placeholders.
  if (name === '' || !/[\p{L}\p{N}]/u.test(name)) return;
  if (name.length > MAX_NAME_LENGTH) {
    addFlaw(draft, `A name is longer than ${MAX_NAME_LENGTH} characters and was left out.`);
    return;
  }
  if (name.includes('\ufffd')) addFlaw(draft, 'A name has characters that could not be decoded; they read as \ufffd.');
  addUnique(draft, draft.entity[list], name);
}

/** Multi-valued text fields of an entity. */
type ValueField = 'countries' | 'nationalities' | 'addresses' | 'positions' | 'programs' | 'topics' | 'referents';

export function addValue(draft: EntityDraft, list: ValueField, text: string): void {
  const value = cleanText(text);
  if (value !== '' && value.length <= MAX_NAME_LENGTH) addUnique(draft, draft.entity[list], value);
}

/** Adds a citizenship, which also counts as a country. */
export function addNationality(draft: EntityDraft, text: string): void {
  addValue(draft, 'nationalities', text);
  addValue(draft, 'countries', text);
}

export function addIdentifier(draft: EntityDraft, kind: IdentifierKind, text: string): void {
  const value = cleanText(text);
  if (value === '' || value.length > MAX_IDENTIFIER_LENGTH || !/[\p{L}\p{N}]/u.test(value)) return;
  const { identifiers } = draft.entity;
  if (identifiers.some((known) => known.kind === kind && known.value === value)) return;
  if (identifiers.length >= MAX_IDENTIFIERS) {
    addFlaw(draft, `It has more than ${MAX_IDENTIFIERS} identifiers; the later ones were left out.`);
    return;
  }
  identifiers.push({ kind, value });
  draft.size += value.length + 80;
}

/** `date` is the parsed `text`; null adds a flaw that quotes the text. */
export function addBirthDate(draft: EntityDraft, text: string, date: string | null): void {
  if (date !== null) addUnique(draft, draft.entity.birthDates, date);
  else addFlaw(draft, `The birth date "${shorten(text)}" cannot be read and was left out.`);
}

type TimeField = 'firstSeen' | 'lastSeen' | 'lastChange';
const TIME_WORDS: Record<TimeField, string> = {
  firstSeen: 'first date',
  lastSeen: 'last date',
  lastChange: 'date of change',
};

/** Keeps the earliest first-seen time and the latest others. `timestamp` is the parsed `text`. */
export function noteTime(draft: EntityDraft, time: TimeField, text: string, timestamp: string | null): void {
  if (text === '') return;
  const { entity } = draft;
  const before = entity[time];
  if (timestamp === null) addFlaw(draft, `The ${TIME_WORDS[time]} "${shorten(text)}" cannot be read and was left out.`);
  else if (before === null || (time === 'firstSeen' ? timestamp < before : timestamp > before))
    entity[time] = timestamp;
}

export function addFlaw(draft: EntityDraft, reason: string): void {
  if (draft.flaws.length < MAX_FLAWS && !draft.flaws.includes(reason)) draft.flaws.push(reason);
}

/** Returns the entity, or null if it has no id or no name. Reports problems in either case. */
export function finishDraft(draft: EntityDraft, report: LoadReport): ListedEntity | null {
  const { entity, flaws, line } = draft;
  const reason = findFault(entity);
  if (reason !== undefined) {
    noteBroken(report, describeRecord(entity.id.slice(0, MAX_ID_LENGTH), line), reason);
    return null;
  }
  if (entity.names.length === 0) {
    entity.names = entity.weakNames;
    entity.weakNames = [];
    addFlaw(draft, 'It has weak names only; they are taken as its names.');
  }
  if (entity.weakNames.length > 0) {
    const names = new Set(entity.names);
    entity.weakNames = entity.weakNames.filter((name) => !names.has(name));
  }
  entity.caption = cleanText(entity.caption).slice(0, MAX_NAME_LENGTH) || entity.names[0]!;
  for (const flaw of flaws) noteProblem(report, describeRecord(entity.id, line), flaw);
  return entity;
}

function findFault({ id, names, weakNames }: ListedEntity): string | undefined {
  if (id === '') return 'The record has no id.';
  if (id.length > MAX_ID_LENGTH) return `The id is longer than ${MAX_ID_LENGTH} characters.`;
  return names.length + weakNames.length === 0 ? 'The record has no usable name.' : undefined;
}

function addUnique(draft: EntityDraft, list: string[], value: string): void {
  const held = valueSet(draft, list);
  if (held.has(value)) return;
  if (list.length >= MAX_VALUES) {
    addFlaw(draft, `It has more than ${MAX_VALUES} values of a kind; the later ones were left out.`);
    return;
  }
  list.push(value);
  held.add(value);
  draft.size += value.length + 50;
}

function valueSet({ held }: EntityDraft, list: string[]): Set<string> {
  const known = held.get(list) ?? new Set(list);
  held.set(list, known);
  return known;
}

function shorten(text: string): string {
  const clean = cleanText(text.slice(0, 200));
  return clean.length > 40 ? `${clean.slice(0, 39)}…` : clean;
}
