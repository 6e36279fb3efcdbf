// Watched subjects: subjects to screen when lists change, their hits and decisions.
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
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined;
}

interface IterateOptions extends CallOptions {
  /** Records per request. Default: the service's. */
  pageSize?: number | undefined;
}

interface SubjectFilter {
  state?: ListWatchedSubjectsQuery['state'] | undefined;
  /** `open`: subjects with at least one undecided hit. */
  hits?: ListWatchedSubjectsQuery['hits'] | undefined;
}

interface AlertFilter {
  /** Limits alerts to this subject. */
  subjectId?: ListScreeningAlertsQuery['subjectId'] | undefined;
  kind?: ListScreeningAlertsQuery['kind'] | undefined;
  /** Limits alerts to those from this time on. */
  since?: Date | string | undefined;
}

export interface ImportSubjectsOptions extends CallOptions {
  /** Default: detected by the first character, because a subject in NDJSON starts with a brace. */
  format?: 'ndjson' | 'csv' | undefined;
  /** Default for lines without a dataset. If omitted, existing subjects keep theirs. */
  dataset?: string | undefined;
  /** Default for lines without a threshold. */
  scoreThreshold?: number | undefined;
}

export interface WatchedSubjectsClient {
  /** Adds a subject, or changes the one with the same `reference`. Retried after a lost reply. */
  put(subject: WatchSubjectRequest, options?: CallOptions): Promise<WatchedSubject>;
  /**
   * Adds or changes many subjects: one per line of NDJSON, or per row of CSV. Unchanged subjects
   * are skipped, so a lost reply is retried. The service reads for at most 30 seconds: send about
   * ten thousand at a time.
   */
  import(file: string | Uint8Array<ArrayBuffer>, options?: ImportSubjectsOptions): Promise<SubjectImport>;
  /** Returns the number of subjects, and how many are waiting to be screened. */
  count(options?: CallOptions): Promise<WatchedSubjectCount>;
  get(id: string, options?: CallOptions): Promise<WatchedSubject>;
  /** Finds a subject by your own id. */
  find(reference: string, options?: CallOptions): Promise<WatchedSubject>;
  /** Deletes a subject with its hits. Rejects with 404 if it does not exist. */
  delete(id: string, options: ReceiptOptions): Promise<string>;
  delete(id: string, options?: CallOptions): Promise<void>;
  /** Returns one page, newest first. */
  list(options?: PageOptions & SubjectFilter): Promise<WatchedSubjectPage>;
  /** Iterates over all subjects, newest first. Pages are fetched on demand. */
  iterate(options?: IterateOptions & SubjectFilter): AsyncGenerator<WatchedSubject, void, undefined>;
  hits(id: string, options?: CallOptions): Promise<WatchedHits>;
  /** Decides a hit. Rejects with 409 if the entry no longer has this `entryHash`. */
  decide(id: string, hitId: string, decision: DecideHitRequest, options?: CallOptions): Promise<DecidedHit>;
  /** Withdraws the decision on a hit, which must then be decided again. */
  withdraw(id: string, hitId: string, why: WithdrawDecisionRequest, options?: CallOptions): Promise<DecidedHit>;
  evidence(id: string, options: SignedOptions): Promise<string>;
  /** Returns all data and history of a subject. Many megabytes if the history is long. */
  evidence(id: string, options?: CallOptions): Promise<SubjectEvidence>;
  /** Returns the evidence as a self-contained HTML page, to be saved or printed. */
  evidencePage(id: string, options?: CallOptions): Promise<string>;
}

export interface ScreeningAlertsClient {
  /** Returns one page, newest first. */
  list(options?: PageOptions & AlertFilter): Promise<ScreeningAlertPage>;
  /** Iterates over all alerts, newest first. Pages are fetched on demand. */
  iterate(options?: IterateOptions & AlertFilter): AsyncGenerator<ScreeningAlert, void, undefined>;
}

/** The service reads for half a minute, then stores what it has. */
const IMPORT_MS = 60_000;
const SUBJECTS = ['v2', 'screening', 'subjects'] as const;

/** The reply is streamed. */
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
    // Not retried automatically, because a second decision would appear in the evidence.
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
