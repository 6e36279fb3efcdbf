// Watched subjects: whom to hear about when the lists change, what was found, and what was decided.
import type {
  DecidedHit,
  DecideHitRequest,
  ListScreeningAlertsQuery,
  ListWatchedSubjectsQuery,
  ScreeningAlert,
  ScreeningAlertPage,
  SubjectEvidence,
  SubjectImport,
  WatchedHits,
  WatchedSubject,
  WatchedSubjectCount,
  WatchedSubjectPage,
  WatchSubjectRequest,
  WithdrawDecisionRequest,
} from '@limen/contract';
import type { CallOptions } from '../http/exchange.ts';
import { iteratePages } from '../http/iterate-pages.ts';
import type { ReceiptOptions, SignedOptions } from '../http/options.ts';
import type { RequestFunction } from '../http/request.ts';

interface PageOptions extends CallOptions {
  limit?: number | undefined;
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined;
}

interface IterateOptions extends CallOptions {
  /** Fetched with one request; the service decides by default. */
  pageSize?: number | undefined;
}

interface SubjectFilter {
  state?: ListWatchedSubjectsQuery['state'] | undefined;
  /** `open`: with a hit that is still to be decided. */
  hits?: ListWatchedSubjectsQuery['hits'] | undefined;
}

interface AlertFilter {
  /** Only those of this subject. */
  subjectId?: ListScreeningAlertsQuery['subjectId'] | undefined;
  kind?: ListScreeningAlertsQuery['kind'] | undefined;
  /** Only those from this moment on. */
  since?: Date | string | undefined;
}

export interface ImportSubjectsOptions extends CallOptions {
  /** Told by the first character unless you say it: a subject of NDJSON begins with a brace. */
  format?: 'ndjson' | 'csv' | undefined;
  /** For lines that name none; those that are watched already keep theirs without it. */
  dataset?: string | undefined;
  /** As `dataset`. */
  scoreThreshold?: number | undefined;
}

export interface WatchedSubjectsClient {
  /** Adds a subject, or changes the one with the same `reference`. A lost answer is asked for again. */
  put(subject: WatchSubjectRequest, options?: CallOptions): Promise<WatchedSubject>;
  /**
   * Adds or changes many: one subject per line of NDJSON, or per row of CSV. What was sent before changes nothing, so a lost answer is
   * asked for again. The service takes what arrives within 30 seconds: send some ten thousand at a time.
   */
  import(file: string | Uint8Array<ArrayBuffer>, options?: ImportSubjectsOptions): Promise<SubjectImport>;
  /** How many there are, and how many are still to be screened. */
  count(options?: CallOptions): Promise<WatchedSubjectCount>;
  get(id: string, options?: CallOptions): Promise<WatchedSubject>;
  /** By your own name for it. */
  find(reference: string, options?: CallOptions): Promise<WatchedSubject>;
  /** Resolves when it is gone with all that was found; rejects with 404 when there was none to begin with. */
  delete(id: string, options: ReceiptOptions): Promise<string>;
  delete(id: string, options?: CallOptions): Promise<void>;
  /** One page, newest first. */
  list(options?: PageOptions & SubjectFilter): Promise<WatchedSubjectPage>;
  /** Every subject, newest first, page by page as the loop asks for them. */
  iterate(options?: IterateOptions & SubjectFilter): AsyncGenerator<WatchedSubject, void, undefined>;
  hits(id: string, options?: CallOptions): Promise<WatchedHits>;
  /** Refused with 409 where the entry is no longer the one with this `entryHash`. */
  decide(id: string, hitId: string, decision: DecideHitRequest, options?: CallOptions): Promise<DecidedHit>;
  /** Takes the decision on a hit back: it is to be decided again. */
  withdraw(id: string, hitId: string, why: WithdrawDecisionRequest, options?: CallOptions): Promise<DecidedHit>;
  evidence(id: string, options: SignedOptions): Promise<string>;
  /** All that is known and was found; of a subject with a long history, many megabytes. */
  evidence(id: string, options?: CallOptions): Promise<SubjectEvidence>;
  /** The same as an HTML page that needs nothing from elsewhere, to be saved or printed. */
  evidencePage(id: string, options?: CallOptions): Promise<string>;
}

export interface ScreeningAlertsClient {
  /** One page, newest first. */
  list(options?: PageOptions & AlertFilter): Promise<ScreeningAlertPage>;
  /** Every alert, newest first, page by page as the loop asks for them. */
  iterate(options?: IterateOptions & AlertFilter): AsyncGenerator<ScreeningAlert, void, undefined>;
}

/** The service takes half a minute of it, and writes what it has. */
const IMPORT_MS = 60_000;
const SUBJECTS = ['v2', 'screening', 'subjects'] as const;

/** It is written as it is read. */
const EVIDENCE_MS = 60_000;

function evidenceOf(id: string) {
  return { method: 'GET', path: [...SUBJECTS, id, 'evidence'], atLeastMs: EVIDENCE_MS } as const;
}

export function createWatchedSubjectsClient(request: RequestFunction): WatchedSubjectsClient {
  const list = ({ limit, cursor, state, hits, signal }: PageOptions & SubjectFilter = {}) =>
    request<WatchedSubjectPage>({ method: 'GET', path: SUBJECTS, query: { limit, cursor, state, hits }, signal });
  return {
    put: (subject, { signal } = {}) =>
      request({ method: 'POST', path: SUBJECTS, json: subject, isIdempotent: true, signal }),
    import: (content, { format = formatOf(content), dataset, scoreThreshold, signal } = {}) =>
      request({
        method: 'POST',
        path: [...SUBJECTS, 'import'],
        query: { dataset, scoreThreshold },
        body: { type: format === 'csv' ? 'text/csv' : 'application/x-ndjson', content },
        isIdempotent: true,
        atLeastMs: IMPORT_MS,
        signal,
      }),
    count: ({ signal } = {}) => request({ method: 'GET', path: [...SUBJECTS, 'count'], signal }),
    get: (id, { signal } = {}) => request({ method: 'GET', path: [...SUBJECTS, id], signal }),
    find: (reference, { signal } = {}) =>
      request({ method: 'POST', path: [...SUBJECTS, 'find'], json: { reference }, isIdempotent: true, signal }),
    delete: (id: string, { receipt, signal }: Partial<ReceiptOptions> = {}) =>
      request<never>({ method: 'DELETE', path: [...SUBJECTS, id], asJwt: receipt, signal }),
    list,
    iterate: ({ pageSize, ...filter } = {}) =>
      iteratePages(
        (cursor) => list({ ...filter, limit: pageSize, cursor }),
        ({ subjects }) => subjects,
      ),
    hits: (id, { signal } = {}) => request({ method: 'GET', path: [...SUBJECTS, id, 'hits'], signal }),
    // Not sent again by itself: a second one would stand in the evidence twice.
    decide: (id, hitId, decision, { signal } = {}) =>
      request({ method: 'POST', path: [...SUBJECTS, id, 'hits', hitId, 'decision'], json: decision, signal }),
    withdraw: (id, hitId, why, { signal } = {}) =>
      request({ method: 'POST', path: [...SUBJECTS, id, 'hits', hitId, 'decision', 'withdraw'], json: why, signal }),
    evidence: (id: string, { signed, signal }: Partial<SignedOptions> = {}) =>
      request<never>({ ...evidenceOf(id), asJwt: signed, signal }),
    evidencePage: (id, { signal } = {}) =>
      request({ ...evidenceOf(id), headers: { accept: 'text/html' }, isText: true, signal }),
  };
}

export function createScreeningAlertsClient(request: RequestFunction): ScreeningAlertsClient {
  const list = ({ limit, cursor, subjectId, kind, since, signal }: PageOptions & AlertFilter = {}) =>
    request<ScreeningAlertPage>({
      method: 'GET',
      path: ['v2', 'screening', 'alerts'],
      query: { limit, cursor, subjectId, kind, since: since instanceof Date ? since.toISOString() : since },
      signal,
    });
  return {
    list,
    iterate: ({ pageSize, ...filter } = {}) =>
      iteratePages(
        (cursor) => list({ ...filter, limit: pageSize, cursor }),
        ({ alerts }) => alerts,
      ),
  };
}

function formatOf(content: string | Uint8Array): 'ndjson' | 'csv' {
  const start =
    typeof content === 'string' ? content.slice(0, 100) : new TextDecoder().decode(content.subarray(0, 100));
  return start
    .replace(/^\ufeff/, '')
    .trimStart()
    .startsWith('{')
    ? 'ndjson'
    : 'csv';
}
