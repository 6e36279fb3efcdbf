// Subjects whose names are written as fewer words than they have: `Majidkhademi`, `KAYZONEBUILDERS`.
//
// A search for such a subject cuts its words where the list knows the pieces, which then may be misspelled, or some of
// several. Whoever looks for the subject cannot guess that from a listed name. So these are held once more, cut as their own
// search cuts them.
import { emptyEntity } from '../entity.ts';
import { createIndexBuilder } from '../index/build-index.ts';
import { decodeEntity } from '../index/entity-record.ts';
import { type ScreeningIndex, textOfToken } from '../index/screening-index.ts';
import { KIND_PERSON, KINDS, type Kind } from '../kind.ts';
import { organisationReadings } from '../matching/organisation-readings.ts';
import { createPartLookup, type PartLookup } from '../matching/part-lookup.ts';
import type { QueryPart } from '../matching/query.ts';
import { furtherReadings, inFixedOrder } from '../matching/readings.ts';
import { createTokenTable } from '../matching/token-table.ts';
import { gluedLegalForm, namesBehindLegalForm } from '../names/organisation/legal-form.ts';
import { isMarked } from '../names/organisation/marks.ts';
import { TOKEN_INITIAL, TOKEN_LEGAL, TOKEN_PARTICLE, TOKEN_VOWELLESS } from '../names/part-class.ts';
import { readForms } from './read-forms.ts';

/** Shorter words are seldom two. */
const MIN_GLUED = 6;
/** Words of this length mostly are. */
const LONG_GLUED = 11;
const NO_WORD = TOKEN_INITIAL | TOKEN_PARTICLE | TOKEN_VOWELLESS | TOKEN_LEGAL;

/** Several threads share the work, each with a share of the subjects. */
export interface GluingShare {
  /** Which one, counted from 0, and of how many. */
  at: number;
  of: number;
  /**
   * What was found out about each token, in memory that the threads share: 1 for glued, 2 for not, 0 where nobody asked. Two that
   * ask at once both find the same.
   */
  known: Uint8Array;
}

export function shareGluing({ tokenCount }: ScreeningIndex, threads: number): GluingShare[] {
  const known = new Uint8Array(new SharedArrayBuffer(tokenCount));
  return Array.from({ length: threads }, (_, at) => ({ at, of: threads, known }));
}

/**
 * An index of them alone, undefined where there are none. Of who may be a person only those with a single word, and long
 * words: others are found by their other words. To look at every word of everybody would take longer than all the rest.
 */
export function indexGlued(
  subjects: ScreeningIndex,
  words: ScreeningIndex,
  share: GluingShare,
): ScreeningIndex | undefined {
  const { sections } = subjects;
  const list = createPartLookup(words, createTokenTable(words));
  const builder = createIndexBuilder();
  let isEmpty = true;
  for (const subject of findGlued(subjects, list, share)) {
    const { id, schema, names, birthDates } = decodeEntity(sections, subject);
    const kinds = KINDS.filter((kind) => (sections.entityFlags[subject]! & kind) !== 0);
    const cuts = new Set(names.flatMap((name) => kinds.flatMap((kind) => cutsOf(name, kind, list))));
    if (cuts.size === 0) continue;
    builder.add({ ...emptyEntity(id, schema), names: [...cuts], birthDates });
    isEmpty = false;
  }
  return isEmpty ? undefined : builder.finish();
}

function findGlued(
  { sections, nameCount }: ScreeningIndex,
  list: PartLookup,
  { at: own, of, known }: GluingShare,
): Set<number> {
  const { nameTokens, nameTokenOffsets, nameEntities, entityFlags, tokenFlags, tokenTextOffsets } = sections;
  const found = new Set<number>();
  const isGlued = (token: number) => {
    known[token] ||= isGluedWord(textOfToken(sections, token), list) ? 1 : 2;
    return known[token] === 1;
  };
  const isWord = (token: number) => (tokenFlags[token]! & NO_WORD) === 0;
  const isLong = (token: number) => tokenTextOffsets[token + 1]! - tokenTextOffsets[token]! >= LONG_GLUED;
  for (let name = 0; name < nameCount; name += 1) {
    const subject = nameEntities[name]!;
    if (subject % of !== own || found.has(subject)) continue;
    const [from, to] = [nameTokenOffsets[name]!, nameTokenOffsets[name + 1]!];
    let words = 0;
    for (let at = from; at < to; at += 1) if (isWord(nameTokens[at]!)) words += 1;
    // Small words and legal forms alone, as `DI DA`, lead to nobody unless they are joined.
    if (words === 0 && to - from > 1) found.add(subject);
    const isShortTaken = words === 1 || (entityFlags[subject]! & KIND_PERSON) === 0;
    for (let at = from; at < to; at += 1) {
      const token = nameTokens[at]!;
      if (isWord(token) && (isShortTaken || isLong(token)) && isGlued(token)) found.add(subject);
    }
  }
  return found;
}

function isGluedWord(text: string, list: PartLookup): boolean {
  if (text.length < MIN_GLUED || isMarked(text)) return false;
  if (gluedLegalForm(text) > 0 || list.cutsOf(text).length > 0 || list.piecesOf(text).length > 0) return true;
  return namesBehindLegalForm(text).some((cut) => list.isListed(text.slice(cut))) || list.neighboursOf(text).length > 0;
}

function cutsOf(name: string, kind: Kind, list: PartLookup): string[] {
  return readForms(name, kind).flatMap((parts) => {
    const cuts =
      kind === KIND_PERSON
        ? furtherReadings(inFixedOrder(parts), list)
        : organisationReadings(parts, list).flatMap((cut) => (cut.isWritten ? [] : [cut.parts]));
    return cuts.map(writeParts);
  });
}

function writeParts(parts: readonly QueryPart[]): string {
  return parts.map(({ text, written }) => (isMarked(text) ? written : text)).join(' ');
}
