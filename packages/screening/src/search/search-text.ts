// Finds entities by a few typed words, all of which one of their names must contain, optionally
// approximately.
import type { ListedEntity } from '../entity.ts';
import { type EntityFilter, fitsFilter } from '../entity-filter.ts';
import { isSameBank, isSameNumber } from '../identifiers/bank-code.ts';
import { identifierLookupKeys, normalizeIdentifier } from '../identifiers/normalise.ts';
import { TOPIC_FLAG, type Topic } from '../index/entity-flags.ts';
import { decodeEntity } from '../index/entity-record.ts';
import { findEntitiesByKey } from '../index/keyed-entities.ts';
import { readTokenText, type ScreeningIndex } from '../index/screening-index.ts';
import { SAME, SPELLING } from '../matching/likeness.ts';
import { PartLookup } from '../matching/part-lookup.ts';
import type { KnownPart } from '../matching/part-names.ts';
import { createTokenTable } from '../matching/token-table.ts';
import { foldName } from '../names/fold-name.ts';

export type TextSearch = ReturnType<typeof createTextSearch>;

export interface TextSearchOptions {
  /** Whether to accept similar words. */
  fuzzy: boolean;
  topic: Topic;
  filter?: EntityFilter | undefined;
  limit: number;
}

export interface FoundEntities {
  /** Best first. */
  entities: FoundEntity[];
  /** False if there are more than the limit, or more than were examined. */
  complete: boolean;
}

export interface FoundEntity {
  entity: ListedEntity;
  fit: TextFit;
}

/** Score of the best name. */
export interface TextFit {
  /** Closeness of the matched words by letters. 1 for equal words, and for exact searches. */
  nearness: number;
  /** Share of the name that the words cover. */
  share: number;
}

/** Best first. A closer word ranks before a name with few other words. */
export function compareFits(left: TextFit, right: TextFit): number {
  return right.nearness - left.nearness || right.share - left.share;
}

const EXACT_FIT: TextFit = { nearness: 1, share: 1 };
const EMPTY_QUERY: TextFit = { nearness: 1, share: 0 };

/** Maximum number of words. Further ones are ignored. */
const MAX_WORDS = 12;
/** Maximum number of entities opened by a scan of the list. */
const MAX_OPENED = 20_000;

/** Create one per thread and index, like a screener. */
export function createTextSearch(index: ScreeningIndex) {
  const { entityFlags, nameEntities, nameTokenOffsets, postings, postingOffsets } = index.sections;
  const { identifierHashes, identifierEntities } = index.sections;
  const lookup = new PartLookup(index, createTokenTable(index));

  /** Names that contain a token matching the word, with the closest match. */
  function namesWith({ text, tokens, likenesses }: KnownPart, fuzzy: boolean): Map<number, number> {
    const names = new Map<number, number>();
    for (const [at, token] of tokens.entries()) {
      const isSame = likenesses[at] === SAME || likenesses[at] === SPELLING;
      if (!fuzzy && !isSame) continue;
      const nearness = fuzzy ? computeCloseness(text, readTokenText(index.sections, token)) : 1;
      for (let place = postingOffsets[token]!; place < postingOffsets[token + 1]!; place += 1) {
        const name = postings[place]!;
        if (nearness > (names.get(name) ?? -1)) names.set(name, nearness);
      }
    }
    return names;
  }

  /** Entities with a name that contains all words, with the score of the best name. */
  function findByWords(words: readonly KnownPart[], fuzzy: boolean): Map<number, TextFit> {
    const [rarest, ...furtherWords] = words.toSorted((a, b) => a.postings - b.postings);
    const found = new Map<number, TextFit>();
    if (!rarest) return found;
    const have = furtherWords.map((word) => namesWith(word, fuzzy));
    for (const [name, nearest] of namesWith(rarest, fuzzy)) {
      if (!have.every((names) => names.has(name))) continue;
      const nearness = have.reduce((sum, names) => sum + names.get(name)!, nearest) / words.length;
      const share = Math.min(1, words.length / (nameTokenOffsets[name + 1]! - nameTokenOffsets[name]!));
      const entity = nameEntities[name]!;
      const known = found.get(entity);
      if (!known || compareFits(known, { nearness, share }) > 0) found.set(entity, { nearness, share });
    }
    return found;
  }

  /** Returns entities best first, or every entity for an empty query. */
  function* candidatesFor(text: string, fuzzy: boolean): Generator<[entity: number, fit: TextFit]> {
    if (text.trim() === '') {
      for (let entity = 0; entity < index.entityCount; entity += 1) yield [entity, EMPTY_QUERY];
      return;
    }
    const words = foldName(text).slice(0, MAX_WORDS);
    const found = findByWords(
      words.map((word) => lookup.find(word)),
      fuzzy,
    );
    const identifier = normalizeIdentifier(text);
    for (const key of identifier === null ? [] : identifierLookupKeys(identifier))
      for (const entity of findEntitiesByKey(key, identifierHashes, identifierEntities).take(MAX_OPENED))
        if (hasIdentifier(decodeEntity(index.sections, entity), identifier!)) found.set(entity, EXACT_FIT);
    yield* [...found].sort(([a, fit], [b, otherFit]) => compareFits(fit, otherFit) || a - b);
  }

  return {
    search(text: string, { fuzzy, topic, filter, limit }: TextSearchOptions): FoundEntities {
      const entities: FoundEntity[] = [];
      let opened = 0;
      for (const [at, fit] of candidatesFor(text, fuzzy)) {
        if ((entityFlags[at]! & TOPIC_FLAG[topic]) !== TOPIC_FLAG[topic]) continue;
        opened += 1;
        if (opened > MAX_OPENED) return { entities, complete: false };
        const entity = decodeEntity(index.sections, at);
        if (filter && !fitsFilter(entity, filter)) continue;
        if (entities.length === limit) return { entities, complete: false };
        entities.push({ entity, fit });
      }
      return { entities, complete: true };
    },
  };
}

function hasIdentifier({ identifiers }: ListedEntity, normalized: string): boolean {
  return identifiers.some(({ kind, value }) => {
    const listedNumber = normalizeIdentifier(value);
    if (listedNumber === null) return false;
    return isSameNumber(listedNumber, normalized) || (kind === 'swiftBic' && isSameBank(listedNumber, normalized));
  });
}

/** Edit distance over length: `putinn` is closer to Putin than to Python. */
function computeCloseness(word: string, listed: string): number {
  if (word === listed) return 1;
  let row = Array.from({ length: listed.length + 1 }, (_, at) => at);
  for (let down = 0; down < word.length; down += 1) {
    const next = [down + 1];
    for (let at = 0; at < listed.length; at += 1)
      next.push(Math.min(row[at + 1]! + 1, next[at]! + 1, row[at]! + (word[down] === listed[at] ? 0 : 1)));
    row = next;
  }
  return 1 - row[listed.length]! / Math.max(word.length, listed.length);
}
