// Segmentations of an organization's name: as written, with words joined or split, or abbreviated.
import { foldName } from '../names/fold-name.ts';
import { makeAcronyms } from '../names/organisation/acronym.ts';
import { gluedLegalForm, namesBehindLegalForm } from '../names/organisation/legal-form.ts';
import { isMarked, LEGAL_MARK, NUMBER_MARK } from '../names/organisation/marks.ts';
import { gluedNames } from './glued-organisation.ts';
import type { CutName } from './name-search.ts';
import type { PartLookup } from './part-lookup.ts';
import type { QueryPart } from './query.ts';
import { OTHER_READING } from './readings.ts';

/** Maximum number of segmentations besides the written one. Each is a separate search. */
const MAX_FURTHER_READINGS = 4;
const MIN_JOINED = 4;
const MAX_JOINED = 4;

export function organizationReadings(parts: QueryPart[], lookup: PartLookup): CutName[] {
  const further: QueryPart[][] = [];
  const neighbors = parts.map((part) => neighborCuts(part, lookup));
  const allCut = parts.flatMap((part, at) => neighbors[at]![0] ?? [part]);
  if (neighbors.filter(({ length }) => length > 0).length > 1) further.push(allCut);
  for (const [at, cuts] of neighbors.entries())
    for (const words of cuts) further.push(parts.toSpliced(at, 1, ...words));
  const allJoined = joinAll(parts, lookup);
  if (allJoined.length < parts.length - 1) further.push(allJoined);
  for (let at = 0; at < parts.length; at += 1) {
    let joined: QueryPart | undefined = parts[at]!;
    for (let count = 2; count <= MAX_JOINED && joined && at + count <= parts.length; count += 1) {
      joined = joinParts(joined, parts[at + count - 1]!);
      if (joined && lookup.isListed(joined.text)) further.push(parts.toSpliced(at, count, joined));
    }
    for (const halves of splitPart(parts[at]!, lookup)) further.push(parts.toSpliced(at, 1, ...halves));
  }
  const cuts = further.slice(0, MAX_FURTHER_READINGS);
  const written = parts.map((part) => part.written).join(' ');
  const acronyms = makeAcronyms(parts).filter(({ text }) => lookup.isListed(text.slice(1)));
  return [
    { parts, isWritten: true, factor: 1 },
    ...cuts.map((cut) => ({ parts: cut, isWritten: false, factor: OTHER_READING })),
    ...acronyms.map((acronym) => ({ parts: [{ ...acronym, written }], isWritten: true, factor: 1 })),
  ];
}

/** Joins every two words that are listed as one, from the start. */
function joinAll(parts: readonly QueryPart[], lookup: PartLookup): QueryPart[] {
  const joined: QueryPart[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const joinedPair = at + 1 < parts.length ? joinParts(parts[at]!, parts[at + 1]!) : undefined;
    const isListed = joinedPair !== undefined && lookup.isListed(joinedPair.text);
    joined.push(isListed ? joinedPair : parts[at]!);
    if (isListed) at += 1;
  }
  return joined;
}

/** Splits a word as a listed name does. */
function neighborCuts(part: QueryPart, lookup: PartLookup): QueryPart[][] {
  if (part.vowelless || isMarked(part.text)) return [];
  return lookup.neighboursOf(part.text).map((words) => words.map((text) => ({ ...part, text })));
}

/** Joins two adjacent words, or a word and its legal form as written. Three M becomes 3M. */
function joinParts(first: QueryPart, second: QueryPart): QueryPart | undefined {
  if (first.vowelless || second.vowelless) return undefined;
  const isNumbered = first.text.startsWith(NUMBER_MARK) && second.text.length === 1;
  const [front, behind] = [isNumbered ? first.text.slice(1) : stripMark(first), stripMark(second)];
  if (isMarked(front) || isMarked(behind) || (!isNumbered && front.length + behind.length < MIN_JOINED))
    return undefined;
  return { ...first, text: front + behind, written: `${first.written} ${second.written}` };
}

/** Returns the letters of a legal form. */
function stripMark({ text, written }: QueryPart): string {
  if (!text.startsWith(LEGAL_MARK)) return text;
  return foldName(written)
    .map((part) => part.text)
    .join('');
}

function splitPart(part: QueryPart, lookup: PartLookup): QueryPart[][] {
  if (part.vowelless || isMarked(part.text)) return [];
  const halves: QueryPart[][] = [];
  const legal = gluedLegalForm(part.text);
  if (legal > 0 && lookup.isListed(part.text.slice(0, legal)))
    halves.push([{ ...part, text: part.text.slice(0, legal) }]);
  for (const cut of namesBehindLegalForm(part.text))
    if (lookup.isListed(part.text.slice(cut))) halves.push([{ ...part, text: part.text.slice(cut) }]);
  if (lookup.neighboursOf(part.text).length > 0) return halves;
  halves.push(...gluedNames(part, lookup));
  for (const cut of lookup.cutsOf(part.text)) {
    halves.push([
      { ...part, text: part.text.slice(0, cut) },
      { ...part, text: part.text.slice(cut) },
    ]);
  }
  const pieces = lookup.piecesOf(part.text);
  if (pieces.length > 0) halves.push(pieces.map((text) => ({ ...part, text })));
  return halves;
}
