// Alternative segmentations of a listed name: adjacent parts joined, single parts split.
import type { Kind } from '../kind.ts';
import type { CutName } from '../matching/name-search.ts';
import type { PartLookup } from '../matching/part-lookup.ts';
import type { QueryPart } from '../matching/query.ts';
import { joinParticles, OTHER_READING } from '../matching/readings.ts';
import { foldName } from '../names/fold-name.ts';
import { makeAcronyms } from '../names/organisation/acronym.ts';
import { isLegalWord } from '../names/organisation/legal-form.ts';
import { isMarked } from '../names/organisation/marks.ts';
import { classifyPart, TOKEN_PARTICLE } from '../names/part-class.ts';
import { readForms } from './read-forms.ts';

/** A segmentation of a name, with the positions of the parts that only exist because of it. */
export interface Cut {
  name: CutName;
  made: readonly number[];
}

const MIN_JOINED = 4;
/** Minimum length of a half: for people, and for organizations, with single-letter words. */
const MIN_HALF = 2;
const MIN_HALF_OF_WORD = 1;
const MIN_PIECE = 3;
/** Maximum number of words considered in one name. */
const WORD = /[\p{L}\p{N}]{1,30}/gu;
const MAX_PHRASE_WORDS = 16;
/** Lengths of legal forms in one word, longest first. */
const FORM_LENGTHS = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2];
/** Maximum number of parts for names of people that may be written as one word in any order. */
const MAX_REARRANGED = 4;

/** Returns the segmentations of a person's name. Parts may be reordered freely. */
export function cutPerson(parts: readonly QueryPart[], lookup: PartLookup): Cut[] {
  if (parts.some(({ vowelless }) => vowelless)) return [asWritten(parts)];
  const texts = parts.map(({ text }) => text);
  const most = parts.length <= MAX_REARRANGED + 1 ? MAX_REARRANGED : 2;
  const joined = keepKnownGroups(orderedSelections(parts.length, most), texts, lookup);
  const everyPair = disjointPairs(joined);
  return [
    asWritten(parts),
    ...joined.map((places) => joinGroups([places], parts, texts)),
    ...(everyPair.length > 1 ? [joinGroups(everyPair, parts, texts)] : []),
    ...splitParts(parts, lookup, MIN_HALF),
    ...cutBySound(parts, lookup),
  ];
}

/** Segments by sound where a search would, as for Abdelkader Benali and Abd al-Qadir bin Ali. */
function cutBySound(parts: readonly QueryPart[], lookup: PartLookup): Cut[] {
  const allApart = parts.flatMap((part) => {
    const cut = lookup.cutsOf(part.text)[0];
    return cut === undefined
      ? [part]
      : [part.text.slice(0, cut), part.text.slice(cut)].map((text) => ({ ...part, text }));
  });
  return [allApart, joinParticles(parts, lookup) ?? []]
    .filter((cut) => cut.some((part) => !parts.includes(part)))
    .map((cut) =>
      makeAlternativeCut(
        cut,
        [...cut.keys()].filter((at) => isTelling(cut[at]!) && !parts.includes(cut[at]!)),
      ),
    );
}

function isTelling({ text }: QueryPart): boolean {
  return (classifyPart(text, false) & TOKEN_PARTICLE) === 0;
}

/**
 * Returns the segmentations of an organization's name. Words keep their order, and the legal form
 * may be attached to the previous word.
 */
export function cutOrganization(parts: readonly QueryPart[], lookup: PartLookup): Cut[] {
  const texts = parts.map(({ text, written }) => (isMarked(text) ? squeeze(written) : text));
  const runs = texts.flatMap((_, from) =>
    texts.slice(from + 1).map((__, more) => Array.from({ length: more + 2 }, (___, at) => from + at)),
  );
  const turned = texts.slice(1).map((_, at) => [at + 1, at]);
  const joined = keepKnownGroups([...runs, ...turned], texts, lookup);
  const acronyms = makeAcronyms(parts).filter(({ text }) => lookup.isListed(text.slice(1)));
  return [
    asWritten(parts),
    ...joined.map((places) => joinGroups([places], parts, texts)),
    ...splitParts(parts, lookup, MIN_HALF_OF_WORD),
    ...acronyms.map((acronym) => asWritten([{ ...parts[0]!, ...acronym }])),
  ];
}

/**
 * Legal forms and phrases are recognized as a whole. A different split of one of their words
 * changes the name: `DI DA` for `DIDA`, `LIM ITED`, `MARINEPTE LTD`. The name is therefore parsed
 * again for each such split.
 */
export function cutAtPhrases(name: string, kind: Kind, { isListed }: PartLookup): Cut[] {
  const parts = new Set(readForms(name, kind).flatMap((form) => form.map(({ text }) => text)));
  const isRead = (word: string) => parts.has(word);
  const isThere = (word: string) => isLegalWord(word) || isListed(word);
  const words = name
    .matchAll(WORD)
    .take(MAX_PHRASE_WORDS)
    .toArray()
    .flatMap(({ 0: word, index: start }) => {
      const [folded, ...furtherParts] = foldName(word);
      // If folding rewrote letters, positions in the folded text do not map to the original.
      const isPlain = folded !== undefined && furtherParts.length === 0 && folded.text.length === word.length;
      return isPlain ? [{ text: folded.text, start, end: start + word.length }] : [];
    });
  const split = words.flatMap(({ text, start }) =>
    Array.from(
      { length: Math.max(0, text.length - 2 * MIN_HALF_OF_WORD + 1) },
      (_, at) => at + MIN_HALF_OF_WORD,
    ).flatMap((cut) => {
      const splitInHalves = [text.slice(0, cut), text.slice(cut)];
      if (isRead(text) && !splitInHalves.some(isLegalWord)) return [];
      return splitInHalves.every(isThere) ? [`${name.slice(0, start + cut)} ${name.slice(start + cut)}`] : [];
    }),
  );
  const joined = words.slice(1).flatMap(({ text, start }, at) => {
    const before = words[at]!;
    if (isRead(text) && isRead(before.text)) return [];
    return isListed(before.text + text) ? [name.slice(0, before.end) + name.slice(start)] : [];
  });
  const unglued = words.flatMap(({ text, start, end }) =>
    withoutGluedForms(text, isListed).map((cut) => `${name.slice(0, start)}${cut}${name.slice(end)}`),
  );
  return [...split, ...joined, ...unglued].flatMap((text) =>
    readForms(text, kind).map((form) => makeAlternativeCut(form, [])),
  );
}

/** Separates attached legal forms, as in `ORVELTRADINGCOMPANYLIMITED`, and splits the rest. */
function withoutGluedForms(text: string, isListed: PartLookup['isListed']): string[] {
  const cuts: string[] = [];
  let rest = text;
  let forms = '';
  for (;;) {
    const length = FORM_LENGTHS.find(
      (formLength) => rest.length - formLength >= MIN_PIECE && isLegalWord(rest.slice(-formLength)),
    );
    if (length === undefined) return cuts;
    forms = ` ${rest.slice(-length)}${forms}`;
    rest = rest.slice(0, -length);
    const ways = [[rest], ...halves(rest, isListed, MIN_HALF), ...splitInThree(rest, isListed, MIN_HALF)];
    for (const way of ways) if (way.every((word) => isListed(word))) cuts.push(way.join(' ') + forms);
  }
}

export function asWritten(parts: readonly QueryPart[]): Cut {
  return { name: { parts: [...parts], isWritten: true, factor: 1 }, made: [] };
}

function makeAlternativeCut(parts: QueryPart[], made: number[]): Cut {
  return { name: { parts, isWritten: false, factor: OTHER_READING }, made };
}

function squeeze(written: string): string {
  return foldName(written)
    .map(({ text }) => text)
    .join('');
}

/**
 * Compares pairs by sound, because a writer who joins two parts may also misspell them. Longer
 * groups are compared exactly, which is much cheaper.
 */
function keepKnownGroups(groups: Iterable<number[]>, texts: readonly string[], lookup: PartLookup): number[][] {
  const there: number[][] = [];
  for (const places of groups) {
    let text = '';
    for (const at of places) text += texts[at]!;
    if (text.length < MIN_JOINED) continue;
    if (places.length === 2 ? lookup.isSounded(text) : lookup.isWritten(text)) there.push(places);
  }
  return there;
}

/** Joins the parts of each group into one word. */
function joinGroups(groups: readonly number[][], parts: readonly QueryPart[], texts: readonly string[]): Cut {
  const words = groups.map((places) => ({
    ...parts[places[0]!]!,
    text: places.map((at) => texts[at]).join(''),
  }));
  const unjoined = parts.filter((_, at) => !groups.some((places) => places.includes(at)));
  return makeAlternativeCut([...words, ...unjoined], [...words.keys()]);
}

function disjointPairs(joined: readonly number[][]): number[][] {
  const taken = new Set<number>();
  return joined.filter((places) => {
    if (places.length > 2 || places.some((at) => taken.has(at))) return false;
    for (const at of places) taken.add(at);
    return true;
  });
}

/** Splits each part into two known words, or into several longer ones. */
function splitParts(parts: readonly QueryPart[], { isListed }: PartLookup, least: number): Cut[] {
  return parts.flatMap((part, at) => {
    if (part.vowelless || isMarked(part.text)) return [];
    return [...halves(part.text, isListed, least), ...splitInThree(part.text, isListed, MIN_PIECE)].map((words) =>
      makeAlternativeCut(
        parts.toSpliced(at, 1, ...words.map((text) => ({ ...part, text }))),
        [...words.keys()].map((place) => at + place),
      ),
    );
  });
}

function halves(text: string, isListed: PartLookup['isListed'], least: number): string[][] {
  const cuts: string[][] = [];
  for (let cut = least; cut <= text.length - least; cut += 1) {
    const words = [text.slice(0, cut), text.slice(cut)];
    if (words.every((word) => isListed(word))) cuts.push(words);
  }
  return cuts;
}

/** Splits into three words. Lists do not join more. */
function splitInThree(text: string, isListed: PartLookup['isListed'], least: number): string[][] {
  const cuts: string[][] = [];
  for (let cut = least; cut <= text.length - 2 * least; cut += 1) {
    if (!isListed(text.slice(0, cut))) continue;
    for (let next = cut + least; next <= text.length - least; next += 1) {
      const words = [text.slice(0, cut), text.slice(cut, next), text.slice(next)];
      if (words.every((word) => isListed(word))) cuts.push(words);
    }
  }
  return cuts;
}

/** Yields every ordered selection of two to `most` positions. */
function* orderedSelections(count: number, most: number, begun: number[] = []): Generator<number[]> {
  if (begun.length >= 2) yield begun;
  if (begun.length === most) return;
  for (let at = 0; at < count; at += 1) if (!begun.includes(at)) yield* orderedSelections(count, most, [...begun, at]);
}
