// Imports many subjects, a hundred per transaction, and counts the outcomes. An import that broke off is simply sent again.
import { type SubjectImport, WatchSubjectRequest } from '@limen/contract';
import { readCountry } from '@limen/screening';
import type { Owner } from '../../../platform/api-keys/owner.ts';
import { AppError, invalid } from '../../../platform/base/errors.ts';
import { compileCheck, explainRefusal } from '../../../platform/json/compile-check.ts';
import { normalizeFields, pickKnownFields } from '../../../platform/json/known-fields.ts';
import { readCallback } from '../../../webhooks/callback.ts';
import { takeTurn } from '../../csv/file.ts';
import { CsvError } from '../../csv/rows.ts';
import { MAX_IMPORT_PROBLEMS } from '../../limits.ts';
import { warnOfUnknownFields } from '../../match/known-fields.ts';
import { listWarnings, normalizeSchema, readSubject, requireScreenable } from '../../match/read-subject.ts';
import { completeContent, type SubjectContent, type SubjectInput } from '../contents.ts';
import type { SubjectPuts } from '../put-subjects.ts';
import { type ImportFormat, type ImportRecord, readRecords } from './read-records.ts';

/** Subjects per transaction, for which other writers wait. */
const BATCH = 100;
/** Bytes of the input between turns of other requests. Each line counts for some bytes, however short it is. */
const TURN_BYTES = 16 * 1024;
const BYTES_PER_LINE = 100;

const NO_ROOM =
  'is not watched because the maximum number of subjects is reached; delete some first, or have MAX_SUBJECTS raised';

const isRequest = compileCheck(WatchSubjectRequest);

interface ImportOrder {
  input: AsyncIterable<Buffer>;
  format: ImportFormat;
  owner: Owner;
  apiKeyId: string;
  defaults: { dataset?: string | undefined; scoreThreshold?: number | undefined };
  /** Throws an AppError for an unknown dataset. */
  requireDataset(name: string): Promise<void>;
  onProgress?(counts: SubjectImport, bytes: number): void;
  strict?: boolean;
}

export async function importSubjects(puts: Pick<SubjectPuts, 'putAll'>, order: ImportOrder): Promise<SubjectImport> {
  const { input, format, owner, apiKeyId, defaults, requireDataset, onProgress, strict = false } = order;
  const counts: SubjectImport = { added: 0, changed: 0, unchanged: 0, refused: 0, problems: [] };
  const datasets = new Set<string>();
  const { dataset, scoreThreshold } = defaults;
  if (dataset !== undefined) await requireDataset(dataset);
  const fallback = {
    ...(dataset !== undefined && { dataset }),
    ...(scoreThreshold !== undefined && { scoreThreshold }),
  };
  /** Line of each subject. */
  const batch = new Map<SubjectInput, number>();
  let noRoom = 0;
  let nextTurnAt = TURN_BYTES;

  const refuse = (line: number, message: string) => {
    counts.refused += 1;
    if (counts.problems.length < MAX_IMPORT_PROBLEMS) counts.problems.push({ line, message });
  };
  const flush = async () => {
    if (batch.size === 0) return;
    const put = await puts.putAll(owner, apiKeyId, [...batch.keys()]);
    for (const outcome of ['added', 'changed', 'unchanged'] as const) counts[outcome] += put[outcome];
    for (const content of put.noRoom) refuse(batch.get(content)!, NO_ROOM);
    noRoom += put.noRoom.length;
    batch.clear();
  };
  const warn = (sentence: string) => {
    counts.warnings ??= [];
    if (counts.warnings.length < MAX_IMPORT_PROBLEMS) counts.warnings.push(sentence);
  };
  const warnOfLine = (line: number, value: WatchSubjectRequest, { subject }: SubjectInput) => {
    // Reading the names takes time, so it ends with the last warning that is kept.
    if ((counts.warnings?.length ?? 0) >= MAX_IMPORT_PROBLEMS) return;
    const sentences = [...warnOfUnknownFields(value, WatchSubjectRequest), ...listWarnings(subject)];
    for (const sentence of sentences) warn(`Line ${line}: ${sentence}`);
  };
  const take = async ({ line, value, problem }: ImportRecord) => {
    normalizeSchema(value);
    normalizeFields(WatchSubjectRequest, value, 'body');
    if (problem !== undefined) return refuse(line, problem);
    if (!isRequest(value)) return refuse(line, explainRefusal(isRequest));
    const [unknown] = strict ? warnOfUnknownFields(value, WatchSubjectRequest) : [];
    if (unknown !== undefined) return refuse(line, unknown);
    try {
      const content = readLine({ ...fallback, ...value });
      const { dataset } = content;
      if (dataset !== undefined && !datasets.has(dataset)) {
        await requireDataset(dataset);
        datasets.add(dataset);
      }
      batch.set(content, line);
      warnOfLine(line, value, content);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // Without the place in the body of a request.
      refuse(line, error.message.replace(/^body[. ]/, ''));
    }
  };
  try {
    for await (const record of readRecords(input, format, warn)) {
      const { end, line, isBlank } = record;
      if (!isBlank) await take(record);
      if (batch.size >= BATCH) {
        await flush();
        onProgress?.(counts, end);
      }
      const work = end + line * BYTES_PER_LINE;
      if (work < nextTurnAt) continue;
      await takeTurn();
      nextTurnAt = work + TURN_BYTES;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // Earlier lines stay imported.
    await flush();
    throw new CsvError(`${error.message}${describeTaken(counts)}`);
  }
  await flush();
  if (noRoom > 0 && noRoom === counts.refused && counts.added + counts.changed + counts.unchanged === 0)
    throw new AppError('store_full', `No line was taken. Each ${NO_ROOM}.`);
  counts.problems.sort((a, b) => a.line - b.line);
  return counts;
}

function describeTaken({ added, changed, unchanged, refused }: SubjectImport): string {
  if (added + changed + unchanged + refused === 0) return '';
  return ` What came before was taken: ${added} new, ${changed} changed, ${unchanged} as before, ${refused} not usable. Mend the file and send it again.`;
}

export function readContent(request: WatchSubjectRequest): SubjectContent {
  return completeContent(readLine(request));
}

/** Rejects subjects that could never be screened. */
function readLine(request: WatchSubjectRequest): SubjectInput {
  const known = pickKnownFields(WatchSubjectRequest, request);
  const { reference, dataset, scoreThreshold, callback, ...subject } = known;
  requireScreenable(readSubject(subject, 'body'), 'body');
  for (const field of ['countries', 'nationalities'] as const) {
    // An unknown country would never match.
    const place = (subject[field] ?? []).findIndex((country) => readCountry(country) === null);
    if (place >= 0) throw invalid(`body.${field}.${place}`, 'must be a country, as its code or its English name');
  }
  return {
    reference,
    subject,
    ...(dataset !== undefined && { dataset }),
    ...(scoreThreshold !== undefined && { scoreThreshold }),
    ...(callback && { callback: readCallback(callback) }),
  };
}
