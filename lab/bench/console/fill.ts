// Fills a database with many sessions, watched subjects and audit lines, sealed by the service's
// own code, which writes into arrays instead of tables.

import { createOperators } from '../../../apps/server/src/console/operators/operators.ts';
import { createOperatorSessions } from '../../../apps/server/src/console/operators/sessions.ts';
import { createOperatorStore } from '../../../apps/server/src/console/operators/store.ts';
import { type Owner, ownerColumns } from '../../../apps/server/src/platform/api-keys/owner.ts';
import { createIds, type OperatorId, type WatchedSubjectId } from '../../../apps/server/src/platform/base/ids.ts';
import { createLogSink } from '../../../apps/server/src/platform/base/logging.ts';
import type { Database, Transaction } from '../../../apps/server/src/platform/database/database.ts';
import type { Schema } from '../../../apps/server/src/platform/database/schema.ts';
import type { Sealer } from '../../../apps/server/src/platform/sealing/sealer.ts';
import { openStorage } from '../../../apps/server/src/platform/storage.ts';
import type { Operator } from '../../../apps/server/src/records/audit/acts.ts';
import { createCheckpoints, type SegmentRow } from '../../../apps/server/src/records/audit/checkpoints.ts';
import { createAuditLog } from '../../../apps/server/src/records/audit/log.ts';
import type { AuditStore, LineRow } from '../../../apps/server/src/records/audit/store.ts';
import type { CaseRow, NoteRow } from '../../../apps/server/src/review/case.ts';
import { createReviewCases } from '../../../apps/server/src/review/cases.ts';
import { createCaseFiles } from '../../../apps/server/src/review/notes.ts';
import type { ReviewStore } from '../../../apps/server/src/review/store.ts';
import { ENGINE } from '../../../apps/server/src/screening/subjects/engine.ts';
import { tables } from '../../../apps/server/src/screening/tables.ts';
import { createReadEvidence } from '../../../apps/server/src/sessions/host/read-evidence.ts';
import { Sessions } from '../../../apps/server/src/sessions/lifecycle/sessions.ts';
import {
  createSessionStore,
  type SessionRow,
  type SessionStore,
} from '../../../apps/server/src/sessions/lifecycle/store.ts';
import { createRandom, type Random } from '../shared/random.ts';
import { type Bulk, openBulk, type Place } from './bulk.ts';
import { makeTemplates, type Template } from './templates.ts';

const DAY_MS = 86_400_000;
const SESSION_DAYS = 30;
const AUDIT_DAYS = 300;
/** Rows per batch. */
const BATCH = 20_000;
/** Percentages of subjects. */
const WITH_HITS = 3;
export const RETENTION_HOURS = 8_760;
const REVIEW_TIMES = { dueHours: 48, reviewDays: 60, retentionMs: RETENTION_HOURS * 3_600_000 };

export interface Counts {
  sessions: number;
  subjects: number;
  auditLines: number;
}

export interface Filled {
  /** Cookie `name=value` of a signed-in admin. */
  cookie: string;
  /** Some of the sessions. */
  sessionIds: string[];
  transactionIds: string[];
  subjectIds: string[];
  keyIds: string[];
  firstAt: number;
  lastAt: number;
}

export async function fill(place: Place, counts: Counts): Promise<Filled> {
  const openTemplates = await makeTemplates(place);
  let now = Date.now();
  const clock = { now: () => now };
  const ids = createIds({ now: Date.now });
  const { database, sealer } = await openStorage({ ...place, masterKey: undefined, clock, ids });
  const bulk = openBulk(database, place);
  const random = createRandom(1);
  const end = now;
  const filled: Filled = {
    cookie: '',
    ...{ sessionIds: [], transactionIds: [], subjectIds: [], keyIds: [] },
    firstAt: end - SESSION_DAYS * DAY_MS,
    lastAt: end,
  };
  try {
    const collected = collectSessions({ database, sealer, clock, ids });
    const templates = await openTemplates(collected.real);
    filled.keyIds = templates.keyIds;
    for (let nth = 0; nth < counts.sessions; nth += 1) {
      now = filled.firstAt + Math.floor((nth / counts.sessions) * SESSION_DAYS * DAY_MS);
      const kind = random.next() < 0.7 ? 'age' : 'verification';
      const { session } = pick(random, templates[kind]);
      const transactionId = `order-${nth}`;
      const contents = kind === 'age' ? session.contents : { ...session.contents, transactionId };
      const apiKeyId = templates.keyIds[Math.floor(random.next() ** 2 * templates.keyIds.length)]!;
      const made = await collected.sessions.create(collected.trx, {
        ...{ kind, owner: session.owner, apiKeyId, contents: contents as never },
        expiresAt: now + 1_800_000,
      });
      // The newest are still open.
      if (nth < counts.sessions - 500) {
        now += 20_000 + Math.floor(random.next() * 90_000);
        const { outcome } = session;
        await collected.sessions.end(collected.trx, made, { state: stateOf(session), outcome: outcome as never });
      }
      if (nth % 1_000 === 0) filled.sessionIds.push(made.id);
      if (kind === 'verification' && filled.transactionIds.length < nth / 1_000)
        filled.transactionIds.push(transactionId);
      if (nth % BATCH === BATCH - 1 || nth === counts.sessions - 1) await collected.flush(bulk);
    }
    now = end;
    const owner = templates.age[0]!.session.owner;
    filled.subjectIds = await fillSubjects(
      { bulk, sealer, ids, owner, random, now },
      templates.keyIds[0]!,
      counts.subjects,
    );
    await fillActivity(bulk, templates.keyIds, now, random);
    const operator = await fillOperators(database, sealer, clock);
    filled.cookie = `limen-console=${operator.token}`;
    await fillAudit({ bulk, sealer, operator: operator.operator, end }, counts.auditLines);
    await bulk.settle();
  } finally {
    await bulk.close();
    await database.close();
  }
  return filled;
}

const NO_TRANSACTION = undefined as never;

function stateOf({ state }: Template['session']): 'completed' | 'cancelled' | 'expired' {
  return state === 'completed' || state === 'expired' ? state : 'cancelled';
}

interface SessionParts {
  database: Database;
  sealer: Sealer;
  clock: { now(): number };
  ids: ReturnType<typeof createIds>;
}

/** Buffers rows of sessions and cases until they are flushed. */
function collectSessions({ database, sealer, clock, ids }: SessionParts) {
  const rows = new Map<string, SessionRow>();
  let marks: Schema['session_marks'][] = [];
  let cases: CaseRow[] = [];
  let notes: NoteRow[] = [];
  let tokens: Schema['review_tokens'][] = [];
  const store = {
    async insert(_trx: unknown, row: SessionRow) {
      rows.set(row.id, row);
    },
    async mark(_trx: unknown, { id, created_at }: SessionRow, digests: readonly Uint8Array[]) {
      for (const mark of digests) marks.push({ mark, created_at, session_id: id });
    },
    async end(_trx: unknown, changes: Parameters<SessionStore['end']>[1]) {
      rows.set(changes.id, { ...rows.get(changes.id)!, ...changes });
      return true;
    },
  } as unknown as SessionStore;
  const reviewStore = {
    addToken: async (_trx: unknown, row: Schema['review_tokens']) => void tokens.push(row),
  } as unknown as ReviewStore;
  const collecting = {
    insertInto: (table: 'review_cases' | 'review_notes') => ({
      values: (row: CaseRow & NoteRow) => ({
        execute: async () => void (table === 'review_cases' ? cases : notes).push(row),
      }),
    }),
  } as unknown as Transaction;
  const files = createCaseFiles({ database, sealer, clock, ids });
  const reviewCases = createReviewCases({ clock, ids }, { store: reviewStore, files }, REVIEW_TIMES);
  const context = { database, sealer, clock, ids, idempotency: {} as never };
  const neighbors = {
    ...{ webhooks: {} as never, deviceChannels: {} as never, cases: reviewCases, unfinished: [] },
    readEvidence: createReadEvidence(database, sealer),
  };
  const { retentionMs } = REVIEW_TIMES;
  return {
    trx: collecting,
    /** On the database itself. */
    real: new Sessions(context, createSessionStore(database), neighbors, retentionMs),
    sessions: new Sessions(context, store, neighbors, retentionMs),
    async flush(bulk: Bulk) {
      await bulk.write('sessions', [...rows.values()]);
      await bulk.write('session_marks', marks);
      await bulk.write('review_cases', cases);
      await bulk.write('review_notes', notes);
      await bulk.write('review_tokens', tokens);
      rows.clear();
      [marks, cases, notes, tokens] = [[], [], [], []];
    },
  };
}

interface SubjectParts {
  bulk: Bulk;
  sealer: Sealer;
  ids: ReturnType<typeof createIds>;
  owner: Owner;
  random: Random;
  now: number;
}

/** Screened subjects, some with open hits, and their alerts. */
async function fillSubjects(parts: SubjectParts, apiKeyId: string, count: number): Promise<string[]> {
  const { bulk, sealer, ids, owner, random, now } = parts;
  const some: string[] = [];
  let [subjects, hits, alerts]: [Schema['watched_subjects'][], Schema['watched_hits'][], Schema['screening_alerts'][]] =
    [[], [], []];
  for (let nth = 0; nth < count; nth += 1) {
    const bound = { id: ids.sortable<WatchedSubjectId>(), ...ownerColumns(owner) };
    const at = now - Math.floor((1 - nth / count) * SESSION_DAYS * DAY_MS);
    const hasHits = random.next() * 100 < WITH_HITS;
    const content = {
      reference: `customer-${nth}`,
      subject: { name: `Person ${nth}` },
      dataset: 'demo',
      scoreThreshold: 0.85,
    };
    subjects.push({
      ...bound,
      ...{
        api_key_id: apiKeyId,
        reference_digest: sealer.digest('bench', String(nth)),
        revision: 1,
        state: 'screened',
      },
      ...{ created_at: at, changed_at: at, screened_at: at, hit_state: hasHits ? 'open' : 'none' },
      ...{
        engine: ENGINE.number,
        more_hits: 0,
        sealed: sealer.sealJson(content, tables.watched_subjects.places.sealed(bound)),
      },
    });
    if (hasHits) {
      const hitId = ids.sortable();
      const match = {
        id: 'demo-1',
        caption: 'Somebody Listed',
        schema: 'Person',
        score: 0.9,
        datasets: ['demo'],
        topics: [],
      };
      const found = { list: 'demo', listVersion: '1', entryHash: 'x', engineVersion: 'x', subjectHash: 'x', match };
      hits.push({
        ...{
          id: hitId,
          subject_id: bound.id,
          entity_digest: sealer.digest('bench', hitId),
          found_at: at,
          changed_at: at,
        },
        ...{ is_open: 1, sealed: sealer.sealJson(found, tables.watched_hits.places.sealed({ id: hitId }, bound)) },
      });
      const { id: _, ...owned } = bound;
      const alert = { id: ids.sortable(), ...owned, subject_id: bound.id, kind: 'new' as const };
      alerts.push({
        ...alert,
        created_at: at,
        sealed: sealer.sealJson({ hitId, ...found }, tables.screening_alerts.places.sealed(alert)),
      });
    }
    if (nth % 500 === 0) some.push(bound.id);
    if (nth % BATCH === BATCH - 1 || nth === count - 1) {
      await bulk.write('watched_subjects', subjects);
      await bulk.write('watched_hits', hits);
      await bulk.write('screening_alerts', alerts);
      [subjects, hits, alerts] = [[], [], []];
    }
  }
  return some;
}

/** A year of counts per key, as the overview shows them. */
async function fillActivity(bulk: Bulk, keyIds: readonly string[], now: number, random: Random): Promise<void> {
  const names = ['age', 'verification'].flatMap((kind) =>
    [
      ...[
        'recommendation/ALLOW',
        'recommendation/REVIEW',
        'recommendation/BLOCK',
        'state/completed',
        'state/cancelled',
      ],
      ...['stage/created', 'stage/opened', 'stage/face', 'stage/ended', 'seconds/30', 'seconds/60', 'flag/SPOOF'],
    ].map((what) => `${kind}/${what}`),
  );
  const rows: Schema['activity_counts'][] = [];
  const totals = new Map<string, Schema['activity_totals']>();
  // Excludes today, when the templates are counted.
  for (let days = 1; days < 365; days += 1) {
    const day = new Date(now - days * DAY_MS).toISOString().slice(0, 10);
    for (const api_key_id of keyIds) {
      for (const name of [...names, 'webhook/delivered', 'webhook/failed']) {
        const count = Math.ceil(random.next() * 5_000);
        rows.push({ day, api_key_id, name, count });
        const key = `${day} ${name}`;
        totals.set(key, { day, world: 'test', name, count: count + (totals.get(key)?.count ?? 0) });
      }
    }
  }
  await bulk.write('activity_counts', rows);
  await bulk.write('activity_totals', [...totals.values()]);
}

async function fillOperators(database: Database, sealer: Sealer, clock: { now(): number }) {
  const ids = createIds(clock);
  const { log } = createLogSink('warn');
  const { operator } = (await createOperators({ database, sealer, clock, ids, log }).invite('Ada', 'admin'))!;
  const sessions = createOperatorSessions(createOperatorStore(database, sealer, log), { sealer, clock, ids });
  return { operator, ...(await sessions.begin(operator, { address: '127.0.0.1', agent: 'bench' })) };
}

interface AuditParts {
  bulk: Bulk;
  sealer: Sealer;
  operator: Operator;
  end: number;
}

/** Chained as in the real log. A day is signed once it is over. */
async function fillAudit({ bulk, sealer, operator, end }: AuditParts, count: number): Promise<void> {
  const acts = ['session.view', 'session.view', 'case.view', 'session.reveal', 'case.decide', 'sign-in'] as const;
  const team = [operator, ...['Grace', 'Alan'].map((name) => ({ ...operator, id: name as OperatorId, name }))];
  const checkpoints = createCheckpoints(sealer);
  const segments = new Map<string, SegmentRow>();
  let newest: SegmentRow | undefined;
  let lines: LineRow[] = [];
  let now = end;
  const keep = (row: SegmentRow) => {
    newest = row;
    segments.set(row.day, row);
    return true;
  };
  const store = {
    lockNewest: async () => newest,
    insertSegment: async (_trx: unknown, row: SegmentRow) => keep(row),
    updateSegment: async (_trx: unknown, row: SegmentRow) => void keep(row),
    insertLine: async (_trx: unknown, row: LineRow) => void lines.push(row),
  } as unknown as AuditStore;
  const unsigned = {
    ...checkpoints,
    sign: (row: object) => ({ ...row, signature: new Uint8Array() }) as SegmentRow,
    holds: () => true,
  };
  const database = {
    transact: (work: (trx: never) => Promise<unknown>) => work(NO_TRANSACTION),
  } as unknown as Database;
  const audit = createAuditLog({ database, sealer, clock: { now: () => now } }, store, unsigned);
  for (let nth = 0; nth < count; nth += 1) {
    now = end - Math.floor((1 - nth / count) * AUDIT_DAYS * DAY_MS);
    const line = { operator: team[nth % 3]!, act: acts[nth % acts.length]!, about: `thing ${nth}`, from: '192.0.2.7' };
    await audit.write(line);
    if (lines.length === BATCH || nth === count - 1) {
      await bulk.write('audit_lines', lines);
      lines = [];
    }
  }
  const signed = [...segments.values()].map(({ signature: _, ...row }) => checkpoints.sign(row));
  await bulk.write('audit_segments', signed);
}

function pick(random: Random, templates: readonly Template[]): Template {
  let left = random.next() * 100;
  for (const template of templates) {
    left -= template.share;
    if (left < 0) return template;
  }
  return templates[0]!;
}
