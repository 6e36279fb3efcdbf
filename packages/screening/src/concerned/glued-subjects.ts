// Subjects whose names are written in fewer words than they have: `Majidkhademi`,
// `KAYZONEBUILDERS`.
//
// A search for such a subject splits its words into pieces that the list knows. A listed name does
// not reveal these splits. Such subjects are therefore indexed a second time, split as their own
// search splits them.
import { emptyEntity, type ListedEntity } from '../entity.ts';
import { IndexBuilder } from '../index/build-index.ts';
import { decodeEntity } from '../index/entity-record.ts';
import { listEntities, readTokenText, type ScreeningIndex } from '../index/screening-index.ts';
import { KIND_PERSON, KINDS, type Kind } from '../kind.ts';
import { gluedNames } from '../matching/glued-organisation.ts';
import { organizationReadings } from '../matching/organisation-readings.ts';
import { PartLookup } from '../matching/part-lookup.ts';
import type { QueryPart } from '../matching/query.ts';
import { furtherReadings, inFixedOrder } from '../matching/readings.ts';
import { createTokenTable } from '../matching/token-table.ts';
import { gluedLegalForm, namesBehindLegalForm } from '../names/organisation/legal-form.ts';
import { isMarked } from '../names/organisation/marks.ts';
import { TOKEN_INITIAL, TOKEN_LEGAL, TOKEN_PARTICLE, TOKEN_VOWELLESS } from '../names/part-class.ts';
import { createRunScan, joinRuns, type ListedRuns, readListedRuns } from './joined-runs.ts';
import { readForms } from './read-forms.ts';

/** Minimum word length. Shorter words are rarely two words. */
const MIN_GLUED = 6;
const NO_WORD = TOKEN_INITIAL | TOKEN_PARTICLE | TOKEN_VOWELLESS | TOKEN_LEGAL;

/** One thread's share of the subjects. */
export interface GluingShare {
  /** Index of the share and number of shares. */
  at: number;
  of: number;
  /**
   * Result per token, in memory shared by the threads: 1 glued, 2 not glued, 0 unknown. Two threads
   * that compute a token concurrently get the same result.
   */
  known: Uint8Array;
}

export function shareGluing({ tokenCount }: ScreeningIndex, threads: number): GluingShare[] {
  const known = new Uint8Array(new SharedArrayBuffer(tokenCount));
  return Array.from({ length: threads }, (_, at) => ({ at, of: threads, known }));
}

/**
 * Builds an index of the glued subjects, and of those whose words are joined or split differently
 * in the `wanted` entities (by default all listed ones). Returns undefined if there are none. The
 * list's segmentation of a word is requested only for organizations and for single-word names.
 * Requesting it for every word would take longer than everything else together.
 */
export function indexGlued(
  subjects: ScreeningIndex,
  words: ScreeningIndex,
  share: GluingShare,
  wanted: Iterable<ListedEntity> = listEntities(words),
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
    known[token] ||= isGluedWord(readTokenText(sections, token), list) ? 1 : 2;
    return known[token] === 1;
  };
  const isWord = (token: number) => (tokenFlags[token]! & NO_WORD) === 0;
  for (let name = 0; name < nameCount; name += 1) {
    const subject = nameEntities[name]!;
    if (subject % of !== own || found.has(subject)) continue;
    const [from, to] = [nameTokenOffsets[name]!, nameTokenOffsets[name + 1]!];
    let words = 0;
    for (let at = from; at < to; at += 1) if (isWord(nameTokens[at]!)) words += 1;
    // Particles and legal forms alone, such as `DI DA`, identify no one unless they are joined.
    if (words === 0 && to - from > 1) found.add(subject);
    if (words > 1 && (entityFlags[subject]! & KIND_PERSON) !== 0) continue;
    for (let at = from; at < to; at += 1) {
      const token = nameTokens[at]!;
      if (isWord(token) && isGlued(token)) found.add(subject);
    }
  }
  return found;
}

/** Finds the subjects of a share whose words become listed words when joined or split elsewhere. */
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
        : organizationReadings(parts, list).flatMap((cut) => (cut.isWritten ? [] : [cut.parts]));
    return cuts.map(writeParts);
  });
}

/** Legal forms attached to the name are left out, because the word already contains them. */
function writeParts(parts: readonly QueryPart[]): string {
  const words = new Set(parts.flatMap(({ text, written }) => (isMarked(text) ? [] : [written])));
  return parts
    .flatMap(({ text, written }) => (!isMarked(text) ? [text] : words.has(written) ? [] : [written]))
    .join(' ');
}
