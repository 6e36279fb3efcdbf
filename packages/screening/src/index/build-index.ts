// Builds the index from listed entities, sequentially, in one thread.
import { isFullDay, packDate } from '../dates/packed-date.ts';
import type { ListedEntity } from '../entity.ts';
import { identifierKeys } from '../identifiers/normalise.ts';
import { ANY_KIND, KIND_PERSON, KINDS, type Kind } from '../kind.ts';
import type { FoldedPart } from '../names/fold-name.ts';
import { nameForms } from '../names/name-forms.ts';
import { makeAcronyms } from '../names/organisation/acronym.ts';
import { isOrganizationCore } from '../names/organisation/part-weight.ts';
import { classifyPart, TOKEN_INITIAL } from '../names/part-class.ts';
import { doParticlesCount, isCore } from '../names/part-weight.ts';
import { canonicalSpelling } from '../names/spelling.ts';
import { createDictionary } from './dictionary.ts';
import {
  entityFlags,
  letterBit,
  NAME_ENTITY_SHIFT,
  NAME_PARTICLES_COUNT,
  NAME_SPARSE,
  NAME_WEAK,
} from './entity-flags.ts';
import { idKeys } from './entity-ids.ts';
import { decodeRecord, encodeEntity, findIdEnd, ID_START, QUOTE } from './entity-record.ts';
import { GrowingArray } from './growing-array.ts';
import { GrowingBytes } from './growing-bytes.ts';
import { createIdTable, hashBytes } from './id-table.ts';
import { createKeyed } from './keyed-entities.ts';
import { createMerge, type EntityMerge } from './merge-entities.ts';
import { type BuiltNames, orderNames } from './order-names.ts';
import { OTHERS_SIZE, writeOthers } from './posting-others.ts';
import { allocateSection, type IndexSections, openIndex, type ScreeningIndex } from './screening-index.ts';

/** Maps tokens to the names that contain them: count, prefix sum, fill. */
type NamePostings = Pick<IndexSections, 'nameTokens' | 'nameTokenOffsets' | 'nameFlags'>;

function buildPostings(
  names: NamePostings,
  tokens: number,
): Pick<IndexSections, 'postings' | 'postingOffsets' | 'postingOthers'> {
  const { nameTokens, nameTokenOffsets: offsets, nameFlags } = names;
  const count = offsets.length - 1;
  const postingOffsets = allocateSection('postingOffsets', tokens + 1);
  const lastName = new Uint32Array(tokens); // name + 1, so that a token repeated within a name is posted once
  for (let name = 0; name < count; name += 1) {
    for (let at = offsets[name]!; at < offsets[name + 1]!; at += 1) {
      const token = nameTokens[at]!;
      if (lastName[token] === name + 1) continue;
      lastName[token] = name + 1;
      postingOffsets[token + 1]! += 1;
    }
  }
  for (let token = 0; token < tokens; token += 1) postingOffsets[token + 1]! += postingOffsets[token]!;
  const postings = allocateSection('postings', postingOffsets[tokens]!);
  const postingOthers = allocateSection('postingOthers', OTHERS_SIZE * postings.length);
  const next = postingOffsets.slice(0, tokens);
  lastName.fill(0);
  for (let name = 0; name < count; name += 1) {
    for (let at = offsets[name]!; at < offsets[name + 1]!; at += 1) {
      const token = nameTokens[at]!;
      if (lastName[token] === name + 1) continue;
      lastName[token] = name + 1;
      postings[next[token]!] = name;
      writeOthers(postingOthers, next[token]!, names, name, token, (nameFlags[name]! & NAME_SPARSE) !== 0);
      next[token]! += 1;
    }
  }
  return { postings, postingOffsets, postingOthers };
}

type NamePart = Pick<FoldedPart, 'text' | 'vowelless' | 'isFamily'>;

export class IndexBuilder {
  readonly #records = new GrowingBytes();
  readonly #recordOffsets = new GrowingArray(Float64Array);
  readonly #flags = new GrowingArray(Uint8Array);
  readonly #dates = new GrowingArray(Uint32Array);
  readonly #dateOffsets = new GrowingArray(Uint32Array);
  readonly #dictionary = createDictionary();
  readonly #names: BuiltNames = {
    entities: new GrowingArray(Uint32Array),
    flags: new GrowingArray(Uint16Array),
    letters: new GrowingArray(Uint32Array),
    tokens: new GrowingArray(Uint32Array),
    tokenOffsets: new GrowingArray(Uint32Array),
  };
  readonly #ids = createIdTable();
  readonly #repeats = new Map<string, EntityMerge>();
  readonly #days = createKeyed();
  readonly #identifiers = createKeyed();
  readonly #allIds = createKeyed();
  readonly #cut: string[] = [];
  #repeated = 0;

  constructor() {
    this.#recordOffsets.push(0);
    this.#dateOffsets.push(0);
    this.#names.tokenOffsets.push(0);
  }

  /** Number of records so far whose id had been added before. */
  get repeated(): number {
    return this.#repeated;
  }

  /** Ids of merged entities that lost values in the merge. Complete after `finish`. */
  get cut(): readonly string[] {
    return this.#cut;
  }

  /** Adds a record. Records with the same id are merged into one entity. */
  add(entity: ListedEntity): void {
    const record = encodeEntity(entity);
    const id = record.subarray(ID_START, findIdEnd(record));
    const idHash = hashBytes(id, 0, id.length);
    if (this.#isKnown(id, idHash)) {
      this.#repeated += 1;
      const merge = this.#repeats.get(entity.id);
      if (merge) merge.add(entity);
      else this.#repeats.set(entity.id, createMerge(entity));
      return;
    }
    this.#ids.add(idHash);
    const place = this.#flags.length;
    const seen = new Set<string>();
    const flags = entityFlags(entity);
    for (const name of entity.names) this.#addName(name, false, flags, seen);
    for (const name of entity.weakNames) this.#addName(name, true, flags, seen);
    this.#records.append(record);
    this.#recordOffsets.push(this.#records.length);
    for (const text of entity.birthDates) {
      const packed = packDate(text);
      if (packed === undefined) continue;
      this.#dates.push(packed);
      if (isFullDay(packed)) this.#days.add(packed, place);
    }
    this.#dateOffsets.push(this.#dates.length);
    for (const key of identifierKeys(entity.identifiers)) this.#identifiers.add(key, place);
    for (const key of idKeys(entity)) this.#allIds.add(key, place);
    this.#flags.push(flags);
  }

  /** Builds the index. May be called once. */
  finish(): ScreeningIndex {
    const names = Object.values(this.#names);
    if (this.#repeats.size > 0) {
      const parts = [this.#ids, this.#dictionary, this.#days, this.#identifiers, this.#allIds, ...names];
      for (const part of parts) part.free();
      return this.#finishMerged();
    }
    const entityCount = this.#flags.length;
    const dates = this.#dates.share();
    const dateOffsets = this.#dateOffsets.share();
    this.#ids.free();
    const ordered = orderNames(this.#names, entityCount, dates, dateOffsets);
    for (const values of names) values.free();
    const days = this.#days.finish();
    const identifiers = this.#identifiers.finish();
    const ids = this.#allIds.finish();
    return openIndex({
      entityRecords: this.#records.share(),
      entityOffsets: this.#recordOffsets.share(),
      entityFlags: this.#flags.share(),
      dates,
      dateOffsets,
      days: days.keys,
      dayEntities: days.entities,
      identifierHashes: identifiers.keys,
      identifierEntities: identifiers.entities,
      idHashes: ids.keys,
      idEntities: ids.entities,
      ...ordered,
      ...buildPostings(ordered, this.#dictionary.size()),
      ...this.#dictionary.finish(entityCount),
    });
  }

  /**
   * Rebuilds a list with repeated ids, because all names of an entity must be known when it is
   * added. Releases the first records as the second ones arrive.
   */
  #finishMerged(): ScreeningIndex {
    const offsets = this.#recordOffsets;
    const builder = new IndexBuilder();
    for (let at = 0; at + 1 < offsets.length; at += 1) {
      const entity = decodeRecord(this.#records.slice(offsets.at(at), offsets.at(at + 1)));
      this.#records.releaseBefore(offsets.at(at + 1));
      const further = this.#repeats.get(entity.id);
      if (!further) {
        builder.add(entity);
        continue;
      }
      const merge = createMerge(entity);
      merge.add(further.finish());
      if (further.isCut || merge.isCut) this.#cut.push(entity.id);
      builder.add(merge.finish());
    }
    return builder.finish();
  }

  /** Returns whether a record with this encoded id exists. Reads only the ids. */
  #isKnown(id: Uint8Array, hash: number): boolean {
    const offsets = this.#recordOffsets;
    return this.#ids.find(hash).some((at) => {
      const start = offsets.at(at) + ID_START;
      const known = this.#records.slice(start, Math.min(start + id.length + 1, offsets.at(at + 1)));
      return known[id.length] === QUOTE && id.every((byte, place) => byte === known[place]);
    });
  }

  #addName(name: string, weak: boolean, flags: number, seen: Set<string>): void {
    for (const kind of KINDS) {
      if ((flags & kind) === 0) continue;
      const nameFlags = (weak ? NAME_WEAK : 0) | (((flags & ~ANY_KIND) | kind) << NAME_ENTITY_SHIFT);
      for (const parts of nameForms(name, kind)) {
        this.#addParts(parts, kind, nameFlags, seen);
        if (kind === KIND_PERSON || weak) continue;
        for (const acronym of makeAcronyms(parts)) this.#addParts([acronym], kind, nameFlags, seen);
      }
    }
  }

  #addParts(parts: NamePart[], kind: Kind, nameFlags: number, seen: Set<string>): void {
    if (parts.length === 0) return;
    const names = this.#names;
    const entity = this.#flags.length;
    const tokens = parts.map((part) => this.#dictionary.idOf(part.text, part.vowelless));
    // Lists repeat names in other capitalization, with other accents or reversed. Matching ignores
    // all three.
    const key = `${kind} ${tokens.toSorted((a, b) => a - b).join(' ')}`;
    if (seen.has(key)) return;
    seen.add(key);
    for (const token of new Set(tokens)) this.#dictionary.countEntity(token, entity);
    names.tokens.append(tokens);
    names.tokenOffsets.push(names.tokens.length);
    names.entities.push(entity);
    let letters = 0;
    for (const { text } of parts)
      letters |= letterBit(text.charCodeAt(0)) | letterBit(canonicalSpelling(text).charCodeAt(0));
    names.letters.push(letters);
    names.flags.push(nameFlags | nameShapeFlags(parts, kind));
  }
}

/** Returns as NAME_* flags which parts of a name can carry a match. */
function nameShapeFlags(parts: NamePart[], kind: Kind): number {
  const classes = parts.map((part) => classifyPart(part.text, part.vowelless));
  if (kind !== KIND_PERSON) return classes.filter(isOrganizationCore).length < 2 ? NAME_SPARSE : 0;
  const particlesCount = parts.some(({ isFamily }) => isFamily) || doParticlesCount(classes);
  const coreParts = classes.filter((flags) => isCore(flags, particlesCount)).length;
  const sparse = coreParts < 2 || classes.some((flags) => (flags & TOKEN_INITIAL) !== 0);
  return (particlesCount ? NAME_PARTICLES_COUNT : 0) | (sparse ? NAME_SPARSE : 0);
}
