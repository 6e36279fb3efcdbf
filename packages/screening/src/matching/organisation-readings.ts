// The ways in which the name of an organisation can be cut: as written, words joined or split, or shortened to its letters.
import { foldName } from '../names/fold-name.ts';
import { acronymsOf } from '../names/organisation/acronym.ts';
import { gluedLegalForm } from '../names/organisation/legal-form.ts';
import { isMarked, LEGAL_MARK } from '../names/organisation/marks.ts';
import type { CutName } from './name-search.ts';
import type { PartLookup } from './part-lookup.ts';
import type { QueryPart } from './query.ts';
import { OTHER_READING } from './readings.ts';

/** How many besides the one that was written; each is a search of its own. */
const MAX_FURTHER_READINGS = 4;
const MIN_JOINED = 4;
const MAX_JOINED = 4;

export function organisationReadings(parts: QueryPart[], lookup: PartLookup): CutName[] {
  const further: QueryPart[][] = [];
  for (let at = 0; at < parts.length; at += 1) {
    let joined: QueryPart | undefined = parts[at]!;
    for (let count = 2; count <= MAX_JOINED && joined && at + count <= parts.length; count += 1) {
      joined = join(joined, parts[at + count - 1]!);
      if (joined && lookup.isListed(joined.text)) further.push(parts.toSpliced(at, count, joined));
    }
    for (const halves of splits(parts[at]!, lookup)) further.push(parts.toSpliced(at, 1, ...halves));
  }
  const cuts = further.slice(0, MAX_FURTHER_READINGS);
  const written = parts.map((part) => part.written).join(' ');
  const acronyms = acronymsOf(parts).filter(({ text }) => lookup.isListed(text.slice(1)));
  return [
    { parts, isWritten: true, factor: 1 },
    ...cuts.map((cut) => ({ parts: cut, isWritten: false, factor: OTHER_READING })),
    ...acronyms.map((acronym) => ({ parts: [{ ...acronym, written }], isWritten: true, factor: 1 })),
  ];
}

/** Two words that stand side by side, or a word and the legal form behind it as it is written. */
function join(first: QueryPart, second: QueryPart): QueryPart | undefined {
  if (isMarked(first.text) || first.vowelless || second.vowelless) return undefined;
  const behind = second.text.startsWith(LEGAL_MARK)
    ? foldName(second.written)
        .map(({ text }) => text)
        .join('')
    : second.text;
  if (isMarked(behind) || first.text.length + behind.length < MIN_JOINED) return undefined;
  return { ...first, text: first.text + behind, written: `${first.written} ${second.written}` };
}

function splits(part: QueryPart, lookup: PartLookup): QueryPart[][] {
  if (part.vowelless || isMarked(part.text)) return [];
  const halves: QueryPart[][] = [];
  const legal = gluedLegalForm(part.text);
  if (legal > 0 && lookup.isListed(part.text.slice(0, legal)))
    halves.push([{ ...part, text: part.text.slice(0, legal) }]);
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
