// The evidence for one subject, streamed: only a page of its history is in memory.
import type { SubjectEvidence } from '@limen/contract';
import { AppError } from '../../../platform/base/errors.ts';
import { SERVICE, VERSION } from '../../../platform/base/version.ts';
import { MAX_SIGNED_ENTRIES } from '../../limits.ts';
import type { WatchedEntry } from '../contents.ts';
import { type HistoryEntry, presentHistory, presentHit, presentSubject } from '../present.ts';
import type { WatchedSubjects } from '../subjects.ts';

export interface EvidenceStream extends Omit<SubjectEvidence, 'history'> {
  /** Oldest first, in pages. Can be read once. */
  history: AsyncIterable<HistoryEntry[]>;
}

export async function collectEvidence(watched: WatchedSubjects, subject: WatchedEntry, now: number) {
  // Evidence is shown to others, and the address and headers of a callback may be secrets.
  const { callback: _, ...known } = presentSubject(subject);
  return {
    subject: known,
    screening: await watched.screening(subject),
    hits: (await watched.hits.list(subject.row)).map(presentHit),
    history: presentAll(watched.history(subject)),
    writtenAt: new Date(now).toISOString(),
    service: `${SERVICE} ${VERSION}`,
  };
}

async function* presentAll(pages: ReturnType<WatchedSubjects['history']>): AsyncGenerator<HistoryEntry[]> {
  for await (const page of pages) yield page.map(presentHistory);
}

export async function gatherEvidence({ history, ...rest }: EvidenceStream): Promise<SubjectEvidence> {
  const entries: HistoryEntry[] = [];
  for await (const page of history) {
    entries.push(...page);
    if (entries.length > MAX_SIGNED_ENTRIES) {
      throw new AppError(
        'payload_too_large',
        `The history has more than ${MAX_SIGNED_ENTRIES} entries, too many to be signed in one piece; ask for JSON.`,
      );
    }
  }
  return { ...rest, history: entries };
}

export async function* writeEvidence({ history, hits, ...rest }: EvidenceStream): AsyncGenerator<string> {
  // Without the closing brace: long parts come last.
  yield `${JSON.stringify(rest).slice(0, -1)},"hits":`;
  yield* writeArray([hits]);
  yield ',"history":';
  yield* writeArray(history);
  yield '}';
}

async function* writeArray(pages: AsyncIterable<object[]> | Iterable<object[]>): AsyncGenerator<string> {
  let before = '[';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before + page.map((entry) => JSON.stringify(entry)).join(',');
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}
