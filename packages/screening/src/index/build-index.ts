// Builds the index from listed entities, one after the other, in one thread.
import { isFullDay, packDate } from '../dates/packed-date.ts';
import type { ListedEntity } from '../entity.ts';
import { identifierKeys } from '../identifiers/normalise.ts';
import { ANY_KIND, KIND_PERSON, KINDS, type Kind } from '../kind.ts';
import type { FoldedPart } from '../names/fold-name.ts';
import { nameForms } from '../names/name-forms.ts';
import { acronymsOf } from '../names/organisation/acronym.ts';
import { isOrganisationCore } from '../names/organisation/part-weight.ts';
import { classifyPart, TOKEN_INITIAL } from '../names/part-class.ts';
import { doParticlesCount, isCore } from '../names/part-weight.ts';
import { canonicalSpelling } from '../names/spelling.ts';
import { buildPostings } from './build-postings.ts';
import { createDictionary } from './dictionary.ts';
import { entityFlags } from './entity-flags.ts';
import { idKeys } from './entity-ids.ts';
import { decodeRecord, encodeEntity, endOfId, ID_START, QUOTE } from './entity-record.ts';
import { GrowingArray } from './growing-array.ts';
import { GrowingBytes } from './growing-bytes.ts';
import { hashBytes } from './hash-bytes.ts';
import { createIdTable } from './id-table.ts';
import { createKeyed } from './keyed-entities.ts';
import { createMerge, type EntityMerge } from './merge-entities.ts';
import { letterBit, NAME_ENTITY_SHIFT, NAME_PARTICLES_COUNT, NAME_SPARSE, NAME_WEAK } from './name-flags.ts';
import { type BuiltNames, orderNames } from './order-names.ts';
import { indexOf, type ScreeningIndex } from './screening-index.ts';

type NamePart = Pick<FoldedPart, 'text' | 'vowelless' | 'isFamily'>;

export interface IndexBuilder {
  /** Records that share an id become one entity, which has what any of them says. */
  add(entity: ListedEntity): void;
  /** Records so far that had an id which was there before. */
  readonly repeated: number;
  /** Ids of merged entities of which something was left out, once the index is finished. */
  readonly cut: readonly string[];
  /** May be called once. */
  finish(): ScreeningIndex;
}

export function createIndexBuilder(): IndexBuilder {
  const records = new GrowingBytes();
  const recordOffsets = new GrowingArray(Float64Array);
  const flags = new GrowingArray(Uint8Array);
  const dates = new GrowingArray(Uint32Array);
  const dateOffsets = new GrowingArray(Uint32Array);
  const dictionary = createDictionary();
  const names: BuiltNames = {
    entities: new GrowingArray(Uint32Array),
    flags: new GrowingArray(Uint16Array),
    letters: new GrowingArray(Uint32Array),
    tokens: new GrowingArray(Uint32Array),
    tokenOffsets: new GrowingArray(Uint32Array),
  };
  const ids = createIdTable();
  const repeats = new Map<string, EntityMerge>();
  const cut: string[] = [];
  let repeated = 0;
  const days = createKeyed();
  const identifiers = createKeyed();
  const allIds = createKeyed();
  recordOffsets.push(0);
  dateOffsets.push(0);
  names.tokenOffsets.push(0);

  function addName(name: string, weak: boolean, entityFlags: number, seen: Set<string>): void {
    for (const kind of KINDS) {
      if ((entityFlags & kind) === 0) continue;
      const nameFlags = (weak ? NAME_WEAK : 0) | (((entityFlags & ~ANY_KIND) | kind) << NAME_ENTITY_SHIFT);
      for (const parts of nameForms(name, kind)) {
        addParts(parts, kind, nameFlags, seen);
        if (kind !== KIND_PERSON && !weak) {
          for (const acronym of acronymsOf(parts)) addParts([acronym], kind, nameFlags, seen);
        }
      }
    }
  }

  function addParts(parts: NamePart[], kind: Kind, nameFlags: number, seen: Set<string>): void {
    if (parts.length === 0) return;
    const entity = flags.length;
    const tokens = parts.map((part) => dictionary.idOf(part.text, part.vowelless));
    // Lists repeat a name in other capitals, with other accents or turned round; matching is blind to all three.
    const key = `${kind} ${tokens.toSorted((a, b) => a - b).join(' ')}`;
    if (seen.has(key)) return;
    seen.add(key);
    for (const token of new Set(tokens)) dictionary.countEntity(token, entity);
    names.tokens.append(tokens);
    names.tokenOffsets.push(names.tokens.length);
    names.entities.push(entity);
    names.letters.push(
      parts.reduce(
        (letters, { text }) =>
          letters | letterBit(text.charCodeAt(0)) | letterBit(canonicalSpelling(text).charCodeAt(0)),
        0,
      ),
    );
    names.flags.push(nameFlags | shapeOf(parts, kind));
  }

  /** Whether a record with this id, as it is written, is there. Only that much of it is looked at: records may be large. */
  const isKnown = (id: Uint8Array, hash: number) =>
    ids.find(hash).some((at) => {
      const start = recordOffsets.at(at) + ID_START;
      const other = records.slice(start, Math.min(start + id.length + 1, recordOffsets.at(at + 1)));
      return other[id.length] === QUOTE && id.every((byte, place) => byte === other[place]);
    });

  return {
    get repeated() {
      return repeated;
    },
    get cut() {
      return cut;
    },
    add(entity) {
      const record = encodeEntity(entity);
      const id = record.subarray(ID_START, endOfId(record));
      const idHash = hashBytes(id, 0, id.length);
      if (isKnown(id, idHash)) {
        repeated += 1;
        const merge = repeats.get(entity.id);
        if (merge) merge.add(entity);
        else repeats.set(entity.id, createMerge(entity));
        return;
      }
      ids.add(idHash);
      const seen = new Set<string>();
      const kind = entityFlags(entity);
      for (const name of entity.names) addName(name, false, kind, seen);
      for (const name of entity.weakNames) addName(name, true, kind, seen);
      records.append(record);
      recordOffsets.push(records.length);
      for (const text of entity.birthDates) {
        const packed = packDate(text);
        if (packed === undefined) continue;
        dates.push(packed);
        if (isFullDay(packed)) days.add(packed, flags.length);
      }
      dateOffsets.push(dates.length);
      for (const key of identifierKeys(entity.identifiers)) identifiers.add(key, flags.length);
      for (const key of idKeys(entity)) allIds.add(key, flags.length);
      flags.push(kind);
    },
    finish() {
      if (repeats.size > 0) {
        for (const part of [ids, dictionary, days, identifiers, allIds, ...Object.values(names)]) part.free();
        return buildMerged(records, recordOffsets, repeats, cut);
      }
      const entityCount = flags.length;
      const sharedDates = dates.share();
      const sharedDateOffsets = dateOffsets.share();
      ids.free();
      const ordered = orderNames(names, entityCount, sharedDates, sharedDateOffsets);
      for (const values of Object.values(names)) values.free();
      const sortedDays = days.finish();
      const sortedIdentifiers = identifiers.finish();
      const sortedIds = allIds.finish();
      return indexOf({
        entityRecords: records.share(),
        entityOffsets: recordOffsets.share(),
        entityFlags: flags.share(),
        dates: sharedDates,
        dateOffsets: sharedDateOffsets,
        days: sortedDays.keys,
        dayEntities: sortedDays.entities,
        identifierHashes: sortedIdentifiers.keys,
        identifierEntities: sortedIdentifiers.entities,
        idHashes: sortedIds.keys,
        idEntities: sortedIds.entities,
        ...ordered,
        ...buildPostings(ordered, dictionary.size()),
        ...dictionary.finish(entityCount),
      });
    },
  };
}

/** Which parts of a name can carry a match, as NAME_* flags. */
function shapeOf(parts: NamePart[], kind: Kind): number {
  const classes = parts.map((part) => classifyPart(part.text, part.vowelless));
  if (kind !== KIND_PERSON) return classes.filter(isOrganisationCore).length < 2 ? NAME_SPARSE : 0;
  const particlesCount = parts.some(({ isFamily }) => isFamily) || doParticlesCount(classes);
  const coreParts = classes.filter((flags) => isCore(flags, particlesCount)).length;
  const sparse = coreParts < 2 || classes.some((flags) => (flags & TOKEN_INITIAL) !== 0);
  return (particlesCount ? NAME_PARTICLES_COUNT : 0) | (sparse ? NAME_SPARSE : 0);
}

/**
 * What is known of an entity by its names must be there when it is added, so that lists with repeated ids are built twice.
 * The first records go as the second ones come.
 */
function buildMerged(
  records: GrowingBytes,
  offsets: GrowingArray<Float64ArrayConstructor>,
  repeats: ReadonlyMap<string, EntityMerge>,
  cut: string[],
): ScreeningIndex {
  const builder = createIndexBuilder();
  for (let at = 0; at + 1 < offsets.length; at += 1) {
    const entity = decodeRecord(records.slice(offsets.at(at), offsets.at(at + 1)));
    records.releaseBefore(offsets.at(at + 1));
    const further = repeats.get(entity.id);
    if (!further) {
      builder.add(entity);
      continue;
    }
    const merge = createMerge(entity);
    merge.add(further.finish());
    if (further.isCut || merge.isCut) cut.push(entity.id);
    builder.add(merge.finish());
  }
  return builder.finish();
}
