// Finds entities by a few words, as somebody types them: every word is in one of their names, or nearly so if wanted.
import type { ListedEntity } from '../entity.ts';
import { type EntityFilter, fitsFilter } from '../entity-filter.ts';
import { isSameBank } from '../identifiers/bank-code.ts';
import { keysOf, normaliseIdentifier } from '../identifiers/normalise.ts';
import { isSameNumber } from '../identifiers/vat-country.ts';
import { TOPIC_FLAG, type Topic } from '../index/entity-flags.ts';
import { decodeEntity } from '../index/entity-record.ts';
import { entitiesWith } from '../index/keyed-entities.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { SAME, SPELLING } from '../matching/likeness.ts';
import { createPartLookup, type KnownPart } from '../matching/part-lookup.ts';
import { createTokenTable } from '../matching/token-table.ts';
import { foldName } from '../names/fold-name.ts';

export interface TextSearch {
  search(text: string, options: SearchOptions): FoundEntities;
}

export interface SearchOptions {
  /** Whether words that merely resemble count too. */
  fuzzy: boolean;
  topic: Topic;
  filter?: EntityFilter | undefined;
  limit: number;
}

export interface FoundEntities {
  /** Best first. */
  entities: FoundEntity[];
  /** False where there are more than the limit, or more than were looked at. */
  complete: boolean;
}

export interface FoundEntity {
  entity: ListedEntity;
  /** Share of its best name that the words make up. */
  share: number;
}

/** More words than anybody types; the rest is not looked for. */
const MAX_WORDS = 12;
/** Where a search goes through the list itself, so many entities are opened, and no more. */
const MAX_OPENED = 20_000;

/** One per thread and index, as a screener is. */
export function createTextSearch(index: ScreeningIndex): TextSearch {
  const { entityFlags, nameEntities, nameTokenOffsets, postings, postingOffsets } = index.sections;
  const { identifierHashes, identifierEntities } = index.sections;
  const lookup = createPartLookup(index, createTokenTable(index));

  /** Names that have a token which the word may be taken for. */
  function namesWith({ tokens, likenesses }: KnownPart, fuzzy: boolean): Set<number> {
    const names = new Set<number>();
    for (const [at, token] of tokens.entries()) {
      if (!fuzzy && likenesses[at] !== SAME && likenesses[at] !== SPELLING) continue;
      for (let place = postingOffsets[token]!; place < postingOffsets[token + 1]!; place += 1)
        names.add(postings[place]!);
    }
    return names;
  }

  /** Entities with a name that has all words, and the share of that name. */
  function findByWords(words: readonly KnownPart[], fuzzy: boolean): Map<number, number> {
    const [rarest, ...others] = words.toSorted((a, b) => a.postings - b.postings);
    const found = new Map<number, number>();
    if (!rarest) return found;
    const have = others.map((word) => namesWith(word, fuzzy));
    for (const name of namesWith(rarest, fuzzy)) {
      if (!have.every((names) => names.has(name))) continue;
      const share = words.length / (nameTokenOffsets[name + 1]! - nameTokenOffsets[name]!);
      const entity = nameEntities[name]!;
      found.set(entity, Math.max(found.get(entity) ?? 0, Math.min(1, share)));
    }
    return found;
  }

  /** Best first; every entity where there is nothing to look for. */
  function* candidatesFor(text: string, fuzzy: boolean): Generator<[entity: number, share: number]> {
    if (text.trim() === '') {
      for (let entity = 0; entity < index.entityCount; entity += 1) yield [entity, 0];
      return;
    }
    const words = foldName(text).slice(0, MAX_WORDS);
    const found = findByWords(
      words.map((word) => lookup.find(word)),
      fuzzy,
    );
    const identifier = normaliseIdentifier(text);
    for (const key of identifier === null ? [] : keysOf(identifier))
      for (const entity of entitiesWith(key, identifierHashes, identifierEntities).take(MAX_OPENED))
        if (hasIdentifier(decodeEntity(index.sections, entity), identifier!)) found.set(entity, 1);
    yield* [...found].sort(([a, share], [b, other]) => other - share || a - b);
  }

  return {
    search(text, { fuzzy, topic, filter, limit }) {
      const entities: FoundEntity[] = [];
      let opened = 0;
      for (const [at, share] of candidatesFor(text, fuzzy)) {
        if ((entityFlags[at]! & TOPIC_FLAG[topic]) !== TOPIC_FLAG[topic]) continue;
        opened += 1;
        if (opened > MAX_OPENED) return { entities, complete: false };
        const entity = decodeEntity(index.sections, at);
        if (filter && !fitsFilter(entity, filter)) continue;
        if (entities.length === limit) return { entities, complete: false };
        entities.push({ entity, share });
      }
      return { entities, complete: true };
    },
  };
}

function hasIdentifier({ identifiers }: ListedEntity, normalised: string): boolean {
  return identifiers.some(({ kind, value }) => {
    const other = normaliseIdentifier(value);
    if (other === null) return false;
    return isSameNumber(other, normalised) || (kind === 'swiftBic' && isSameBank(other, normalised));
  });
}
