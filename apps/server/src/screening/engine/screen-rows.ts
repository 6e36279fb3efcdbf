// Screens the rows of a piece of a file, or writes them as JSON.
import type { ListedMatch, MatchedRow, ScreenedRow } from '@limen/contract';
import {
  CANDIDATE_FLOOR,
  type Hit,
  mergeLengthWarnings,
  type Query,
  readQuery,
  readSubject,
  type Screener,
  SEARCH_ENDED,
  type SubjectMatch,
  showEntity,
} from '@limen/screening';
import type { CsvLayout } from '../csv/layout.ts';
import { readCells } from '../csv/rows.ts';
import { type FindScreeners, matchSubjects, watchEffort } from './match-subjects.ts';
import {
  type HitOutcome,
  NUMBERS_PER_HIT,
  type PieceOutcome,
  type SearchPlan,
  WARNED,
  WARNED_OF_SEARCH,
} from './messages.ts';
import { type OptionalCells, type RowSubject, readMore, subjectOfRow } from './row-subject.ts';
import { allIds, dropTwins, withTwins } from './twins.ts';

type RankedHit = Hit & { place: number };

interface FileRow {
  id: string;
  firstname: string;
  lastname: string;
  dob: string;
  name?: string;
}

/** Screens the rows from `from` on, as many as make a task, but at least one. */
export function screenRows(
  bytes: Uint8Array,
  plan: SearchPlan,
  find: FindScreeners,
  { from, most }: { from: number; most?: number } = { from: 0 },
): PieceOutcome {
  const isEnough = watchEffort(plan.editions, find, most);
  let rowNumber = -1;
  const screeners = plan.editions.map((edition) => find(edition).names);
  const findRow = rememberRows((row, more) =>
    more ? matchAndKeep(subjectOfRow(row, more), plan, find) : searchAndKeep(screeners, buildQuery(row), plan),
  );
  const scores: number[] = [];
  const warned: number[] = [];
  const hits: number[] = [];
  const hitScores: number[] = [];
  let matched = 0;
  readCells(bytes, plan.layout.delimiter, (cells) => {
    rowNumber += 1;
    if (rowNumber < from || (scores.length > 0 && isEnough())) return;
    const { best, kept, warnings } = findRow(readRow(cells, plan.layout), readMore(cells, plan.layout));
    if (kept.length > 0) matched += 1;
    for (const { place, entity, name, score } of kept) {
      hits.push(rowNumber, place, entity, name);
      hitScores.push(score);
    }
    scores.push(best);
    const flag = warnings.includes(SEARCH_ENDED) ? WARNED_OF_SEARCH : WARNED;
    warned.push(findWarning(cells, plan.layout, warnings) === undefined ? 0 : flag);
  });
  return {
    scores: Float64Array.from(scores),
    warned: Uint8Array.from(warned),
    hits: Uint32Array.from(hits),
    hitScores: Float64Array.from(hitScores),
    matched,
  };
}

interface RowOutcome {
  best: number;
  kept: RankedHit[];
  warnings: readonly string[];
}

/** Searches repeated people once. The cache ends with the piece, so that no name stays in a worker. */
function rememberRows(find: (row: FileRow, more: OptionalCells | undefined) => RowOutcome): typeof find {
  const known = new Map<string, RowOutcome>();
  return (row, more) => {
    const key = JSON.stringify([row.firstname, row.lastname, row.dob, more]);
    const outcome = known.get(key) ?? find(row, more);
    known.set(key, outcome);
    return outcome;
  };
}

function searchAndKeep(screeners: readonly Screener[], query: Query, plan: SearchPlan): RowOutcome {
  const found = search(screeners, query, plan);
  const kept = found.filter(({ score }) => score >= plan.threshold);
  return {
    best: found[0]?.score ?? 0,
    kept: dropTwinHits(screeners, kept).slice(0, plan.limit),
    warnings: query.warnings,
  };
}

/** Screens a row with optional columns. Its hits are only counted, and found again when they are written. */
function matchAndKeep(row: RowSubject, plan: SearchPlan, find: FindScreeners): RowOutcome {
  const { best, matches, warnings } = matchRow(row, plan, find);
  return {
    best: best < CANDIDATE_FLOOR ? 0 : best,
    kept: matches.map(({ score }) => ({ place: 0, entity: 0, name: 0, score })),
    warnings,
  };
}

function matchRow({ subject, warnings }: RowSubject, plan: SearchPlan, find: FindScreeners) {
  const [outcome] = matchSubjects([subject], { ...plan, lists: [] }, find);
  return { ...outcome!, warnings: [...warnings, ...outcome!.warnings] };
}

function search(screeners: readonly Screener[], query: Query, { topic, limit }: SearchPlan): RankedHit[] {
  const found = screeners.flatMap((screener, place) =>
    screener.screen(query, { limit, topic }).map(({ entity, name, score }) => ({ place, entity, name, score })),
  );
  // The sort is stable, so that equal scores keep the order of the lists.
  return screeners.length > 1 ? found.sort((a, b) => b.score - a.score) : found;
}

function dropTwinHits(screeners: readonly Screener[], hits: RankedHit[]): RankedHit[] {
  if (new Set(hits.map(({ place }) => place)).size < 2) return hits;
  const entityOf = (hit: RankedHit) => screeners[hit.place]!.entityOf(hit);
  return dropTwins(hits, (hit) => allIds(entityOf(hit)), entityOf);
}

export function renderResults(
  bytes: Uint8Array,
  { layout, threshold }: SearchPlan,
  { scores, warned }: Pick<PieceOutcome, 'scores' | 'warned'>,
): string {
  const parts: string[] = [];
  readCells(bytes, layout.delimiter, (cells) => {
    const row = readRow(cells, layout);
    const score = scores[parts.length] ?? 0;
    const warning = findWarning(cells, layout, listWarnings(row, cells, layout, warned[parts.length] ?? 0));
    const match = score >= threshold ? 'true' : 'false';
    const result: ScreenedRow = { ...row, match, score, ...(warning !== undefined && { warning }) };
    parts.push(JSON.stringify(result));
  });
  return parts.join(',');
}

export function renderRecords(
  bytes: Uint8Array,
  plan: SearchPlan,
  { hits, hitScores, warned }: HitOutcome,
  find: FindScreeners,
): string {
  const parts: string[] = [];
  let next = 0;
  let rowNumber = 0;
  readCells(bytes, plan.layout.delimiter, (cells) => {
    const isNext = next < hitScores.length && hits[next * NUMBERS_PER_HIT] === rowNumber;
    rowNumber += 1;
    if (!isNext) return;
    const row = readRow(cells, plan.layout);
    const more = readMore(cells, plan.layout);
    const query = buildQuery(row);
    const matches: MatchedRow['matches'] = [];
    for (; next < hitScores.length && hits[next * NUMBERS_PER_HIT] === rowNumber - 1; next += 1) {
      if (more) continue;
      const [, place = 0, entity = 0, name = 0] = hits.subarray(next * NUMBERS_PER_HIT, (next + 1) * NUMBERS_PER_HIT);
      matches.push(describeHit(query, { place, entity, name, score: hitScores[next] ?? 0 }, plan, find));
    }
    if (more) matches.push(...matchRow(subjectOfRow(row, more), plan, find).matches.map(writeListedMatch));
    const warning = findWarning(cells, plan.layout, listWarnings(row, cells, plan.layout, warned[rowNumber - 1] ?? 0));
    const score = matches[0]?.score ?? 0;
    const record: MatchedRow = { ...row, match: 'true', score, matches, ...(warning !== undefined && { warning }) };
    parts.push(JSON.stringify(record));
  });
  return parts.join(',');
}

/** Takes the score and its reasons from the list that agrees best, and shows the merged entity. */
function describeHit(query: Query, { place, ...hit }: RankedHit, { editions, topic }: SearchPlan, find: FindScreeners) {
  const lists = editions.map((edition) => ({ ...find(edition), filter: undefined }));
  const { names } = lists[place]!;
  const match = names.describe(query, hit);
  const others = lists.toSpliced(place, 1);
  return others.length === 0 ? match : { ...match, ...showEntity(withTwins(names.entityOf(hit), others, topic)) };
}

function readRow(cells: readonly string[], { columns, more }: CsvLayout): FileRow {
  const [id = '', firstname = '', lastname = '', dob = ''] = columns.map((column) => cells[column] ?? '');
  const name = cells[more?.name ?? -1]?.trim() ?? '';
  return { id, firstname, lastname, dob, ...(name !== '' && { name }) };
}

function buildQuery({ firstname, lastname, dob }: FileRow): Query {
  return readQuery({ firstName: firstname, lastName: lastname, birthDate: dob });
}

/** Repeats the warnings that the row had when it was screened. */
function listWarnings(row: FileRow, cells: readonly string[], layout: CsvLayout, flag: number): readonly string[] {
  if (flag === 0) return [];
  const ofSearch = flag === WARNED_OF_SEARCH ? [SEARCH_ENDED] : [];
  const more = readMore(cells, layout);
  if (!more) return [...mergeLengthWarnings(buildQuery(row).warnings), ...ofSearch];
  const { subject, warnings } = subjectOfRow(row, more);
  return [...warnings, ...readSubject(subject).warnings, ...ofSearch];
}

/** Adds a warning about the number of cells. Too many filled cells hint at a delimiter in an unquoted value. */
function findWarning(cells: readonly string[], { width }: CsvLayout, ofValues: readonly string[]): string | undefined {
  const warnings = [...ofValues];
  if (cells.length < width) {
    warnings.unshift(`The row has ${cells.length} of ${width} columns; the others were read as empty.`);
  } else if (cells.slice(width).some((cell) => cell.trim() !== '')) {
    warnings.unshift(`The row has ${cells.length} columns instead of ${width}; is a value not quoted?`);
  }
  return warnings.length > 0 ? warnings.join(' ') : undefined;
}

function writeListedMatch({ entity, matchedName, score, features }: SubjectMatch): ListedMatch {
  const { id, caption, schema, ...shown } = showEntity(entity);
  const { birthDate: born, ...compared } = features;
  const ofDate = entity.birthDates.length === 0 ? 'not given and not listed' : 'not given';
  const details = Object.values(compared).map(({ detail }) => detail);
  return {
    ...{ id, caption, schema, matchedName, score, ...shown },
    explanation: { name: details.join('; '), birthDate: born?.detail ?? ofDate },
  };
}
