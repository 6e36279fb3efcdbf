// Subjects whose names are written as fewer words than they have: `Majidkhademi`, `KAYZONEBUILDERS`.
//
// A search for such a subject cuts its words where the list knows the pieces, which then may be misspelled, or some of
// several. Whoever looks for the subject cannot guess that from a listed name. So these are held once more, cut as their own
// search cuts them.
import { emptyEntity, type ListedEntity } from '../entity.ts';
import { IndexBuilder } from '../index/build-index.ts';
import { decodeEntity } from '../index/entity-record.ts';
import { entitiesOf, type ScreeningIndex, textOfToken } from '../index/screening-index.ts';
import { KIND_PERSON, KINDS, type Kind } from '../kind.ts';
import { gluedNames } from '../matching/glued-organisation.ts';
import { organisationReadings } from '../matching/organisation-readings.ts';
import { PartLookup } from '../matching/part-lookup.ts';
import type { QueryPart } from '../matching/query.ts';
import { furtherReadings, inFixedOrder } from '../matching/readings.ts';
import { createTokenTable } from '../matching/token-table.ts';
import { gluedLegalForm, namesBehindLegalForm } from '../names/organisation/legal-form.ts';
import { isMarked } from '../names/organisation/marks.ts';
import { TOKEN_INITIAL, TOKEN_LEGAL, TOKEN_PARTICLE, TOKEN_VOWELLESS } from '../names/part-class.ts';
import { createRunScan, joinRuns, type ListedRuns, readListedRuns } from './joined-runs.ts';
import { readForms } from './read-forms.ts';

/** Shorter words are seldom two. */
const MIN_GLUED = 6;
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
 * An index of them, and of those whose words are joined or cut otherwise in the `wanted` entities, which are all that are listed
 * unless told; undefined where there are none. What the list makes of a word is asked for organisations and for names of a single
 * word: to ask it of every word of everybody would take longer than all the rest.
 */
export function indexGlued(
  subjects: ScreeningIndex,
  words: ScreeningIndex,
  share: GluingShare,
  wanted: Iterable<ListedEntity> = entitiesOf(words),
): ScreeningIndex | undefined {
  const { sections } = subjects;
  const list = new PartLookup(words, createTokenTable(words));
  const builder = new IndexBuilder();
  const runs = readListedRuns(wanted);
  const glued = findGlued(subjects, list, share);
  let isEmpty = true;
  for (const subject of new Set([...glued, ...findCut(subjects, runs, share)])) {
    const { id, schema, names, birthDates } = decodeEntity(sections, subject);
    const kinds = KINDS.filter((kind) => (sections.entityFlags[subject]! & kind) !== 0);
    const cutAsSearched = (name: string) => kinds.flatMap((kind) => cutsOf(name, kind, list));
    const cuts = new Set(
      names.flatMap((name) => {
        const joined = joinRuns(name, runs);
        if (!joined.isGlued && !glued.has(subject)) return joined.names;
        return [...joined.names, ...[name, ...joined.names.slice(0, 1)].flatMap(cutAsSearched)];
      }),
    );
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
  const { nameTokens, nameTokenOffsets, nameEntities, entityFlags, tokenFlags } = sections;
  const found = new Set<number>();
  const isGlued = (token: number) => {
    known[token] ||= isGluedWord(textOfToken(sections, token), list) ? 1 : 2;
    return known[token] === 1;
  };
  const isWord = (token: number) => (tokenFlags[token]! & NO_WORD) === 0;
  for (let name = 0; name < nameCount; name += 1) {
    const subject = nameEntities[name]!;
    if (subject % of !== own || found.has(subject)) continue;
    const [from, to] = [nameTokenOffsets[name]!, nameTokenOffsets[name + 1]!];
    let words = 0;
    for (let at = from; at < to; at += 1) if (isWord(nameTokens[at]!)) words += 1;
    // Small words and legal forms alone, as `DI DA`, lead to nobody unless they are joined.
    if (words === 0 && to - from > 1) found.add(subject);
    if (words > 1 && (entityFlags[subject]! & KIND_PERSON) !== 0) continue;
    for (let at = from; at < to; at += 1) {
      const token = nameTokens[at]!;
      if (isWord(token) && isGlued(token)) found.add(subject);
    }
  }
  return found;
}

/** Those of a share of the subjects whose words may be listed ones once they are joined, or cut elsewhere. */
function findCut(subjects: ScreeningIndex, runs: ListedRuns, { at: own, of }: GluingShare): Set<number> {
  const { nameEntities } = subjects.sections;
  const mayBeCut = createRunScan(subjects, runs);
  const found = new Set<number>();
  for (let name = 0; name < subjects.nameCount; name += 1) {
    const subject = nameEntities[name]!;
    if (subject % of === own && !found.has(subject) && mayBeCut(name)) found.add(subject);
  }
  return found;
}

function isGluedWord(text: string, list: PartLookup): boolean {
  if (text.length < MIN_GLUED || isMarked(text)) return false;
  if (gluedLegalForm(text) > 0 || list.cutsOf(text).length > 0 || list.piecesOf(text).length > 0) return true;
  if (namesBehindLegalForm(text).some((cut) => list.isListed(text.slice(cut)))) return true;
  return (
    list.neighboursOf(text).length > 0 ||
    gluedNames({ text, written: text, vowelless: false, place: 0, syllabic: false }, list).length > 0
  );
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

/** A legal form that was written onto the name is left out: it is there in the same word as the name. */
function writeParts(parts: readonly QueryPart[]): string {
  const words = new Set(parts.flatMap(({ text, written }) => (isMarked(text) ? [] : [written])));
  return parts
    .flatMap(({ text, written }) => (!isMarked(text) ? [text] : words.has(written) ? [] : [written]))
    .join(' ');
}
