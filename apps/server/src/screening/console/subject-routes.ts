// One watched subject in the console: its hits and history, and the decisions of operators.
import { DECISION_REASON_MAX, isVisible, oneOf } from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Console } from '../../console/door/console.ts';
import { requireOperator } from '../../console/door/guard.ts';
import { isAllowed } from '../../console/operators/permissions.ts';
import { ownerFrom } from '../../platform/api-keys/owner.ts';
import { AppError, invalid } from '../../platform/base/errors.ts';
import { isUuid } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { ReviewDesk } from '../../review/desk.ts';
import { PAGE_SIZE } from '../limits.ts';
import { type BrowsedSubject, createWatchedBrowser } from '../subjects/browse.ts';
import { presentHistory as presentEntry, presentHit } from '../subjects/present.ts';
import type { WatchedSubjects } from '../subjects/subjects.ts';
import { presentHistory, presentSubject } from './present-subject.ts';
import { addSearches, after, cutPage, readCursor } from './search-routes.ts';
import type { DecidedView, HistoryPageView, RevealedHistoryView, RevealedWatchedView, SubjectView } from './views.ts';

const History = Type.Object({ after });
const IdPath = Type.Object({ id: Type.String() });
const HitPath = Type.Object({ id: Type.String(), hitId: Type.String() });
const reason = Type.String({ minLength: 1, maxLength: DECISION_REASON_MAX });
const entryHash = Type.String({ minLength: 1, maxLength: 64 });
const Decision = Type.Object({ decision: oneOf(['confirmed', 'not_this_subject']), reason, entryHash });
const Withdrawal = Type.Object({ reason });

export function addSubjectConsole(
  console: Console,
  { database, sealer, apiKeys }: Context,
  { watched: { hits }, desk }: { watched: WatchedSubjects; desk: ReviewDesk },
): void {
  const { add, record, recordWith, noteLook, keyNames } = console;
  const browser = createWatchedBrowser(database, sealer);
  addSearches(console, browser, apiKeys);

  add('GET /console/api/subjects/:id', { params: IdPath }, async ({ params, request }): Promise<SubjectView> => {
    const browsed = await find(params.id);
    await noteLook(request, 'subject.view', browsed.row.id);
    const found = browsed.content() ? await hits.list(browsed.row) : [];
    const customerName = (await keyNames()).customerOf(browsed.row.customer);
    return { ...presentSubject(browsed, found, await history(browsed, undefined)), customerName };
  });

  add(
    'POST /console/api/subjects/:id/reveal',
    { params: IdPath },
    async ({ params, request }): Promise<RevealedWatchedView> => {
      const browsed = await find(params.id);
      const { reference, subject } = await reveal(browsed, request);
      return { reference, subject, hits: (await hits.list(browsed.row)).map(presentHit) };
    },
  );

  add(
    'POST /console/api/subjects/:id/history',
    { params: IdPath, body: History },
    async ({ params, body }): Promise<HistoryPageView> => history(await find(params.id), body.after),
  );

  add(
    'POST /console/api/subjects/:id/history/reveal',
    { params: IdPath, body: History },
    async ({ params, body, request }): Promise<RevealedHistoryView> => {
      const browsed = await find(params.id);
      await reveal(browsed, request);
      const { found, ...next } = await historyPage(browsed, body.after);
      return { history: found.flatMap(({ record: entry }) => (entry ? [presentEntry(entry)] : [])), ...next };
    },
  );

  add(
    'POST /console/api/subjects/:id/hits/:hitId/decide',
    { params: HitPath, body: Decision },
    async ({ params, body, request }): Promise<DecidedView> => {
      const { row: subject } = await find(params.id);
      const { decision: verdict, entryHash } = body;
      const judgment = { verdict, reason: readReason(body.reason), entryHash };
      const writeAudit = recordWith(request, `hit.${verdict}`, requireUuid(params.hitId));
      // Decided as a case: if two operators have to agree, the first one proposes.
      const { operator } = requireOperator(request);
      const { row } = await desk.decideHit(subject.id, params.hitId, operator, judgment, writeAudit);
      return { state: row.state };
    },
  );

  add(
    'POST /console/api/subjects/:id/hits/:hitId/withdraw',
    { params: HitPath, body: Withdrawal },
    async ({ params, body, request }) => {
      const { row } = await find(params.id);
      const writeAudit = recordWith(request, 'hit.withdraw', requireUuid(params.hitId));
      const withdrawal = { reason: readReason(body.reason), author: requireOperator(request).operator.name };
      await hits.withdraw(ownerFrom(row), row.id, params.hitId, withdrawal, writeAudit);
      return {};
    },
  );

  async function find(id: string): Promise<BrowsedSubject> {
    const [browsed] = await browser.lookAtAll([id]);
    if (!browsed) throw new AppError('not_found', 'There is no such subject; it may have been deleted.');
    return browsed;
  }

  async function historyPage({ row }: BrowsedSubject, cursor: string | undefined) {
    const page = { subjectId: row.id, before: readCursor(cursor), limit: PAGE_SIZE + 1 };
    return cutPage(await browser.alerts(page));
  }

  async function history(browsed: BrowsedSubject, cursor: string | undefined): Promise<HistoryPageView> {
    const { found, ...next } = await historyPage(browsed, cursor);
    return { history: found.map(presentHistory), ...next };
  }

  async function reveal({ row, content: open }: BrowsedSubject, request: FastifyRequest) {
    const { role } = requireOperator(request).operator;
    if (row.world === 'live' && !isAllowed(role, 'subjects.reveal')) {
      await record(request, 'refused', 'subject.reveal');
      throw new AppError('forbidden', `The role ${role} sees who test subjects are only.`);
    }
    await record(request, 'subject.reveal', row.id);
    const content = open();
    if (!content) throw new AppError('not_found', 'This row was edited in the database and does not open.');
    return content;
  }
}

function requireUuid(id: string): string {
  if (isUuid(id)) return id;
  throw new AppError('not_found', 'There is no hit with this id; it may be gone from the list.');
}

function readReason(value: string): string {
  const text = value.trim();
  if (!isVisible(text)) throw invalid('body.reason', 'must say something');
  return text;
}
