// One watched subject in the console: what was found for it and when, and what operators decide on it.
import { DECISION_REASON_MAX, isVisible, oneOf } from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Console } from '../../console/door/console.ts';
import { operatorOf } from '../../console/door/guard.ts';
import { isAllowed } from '../../console/operators/permissions.ts';
import { ownerFrom } from '../../platform/api-keys/owner.ts';
import { AppError, invalid } from '../../platform/base/errors.ts';
import { isUuid } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { ReviewDesk } from '../../review/desk.ts';
import { PAGE_SIZE } from '../limits.ts';
import { type BrowsedSubject, createWatchedBrowser, type WatchedBrowser } from '../subjects/browse.ts';
import { presentHistory as presentEntry, presentHit } from '../subjects/present.ts';
import type { WatchedSubjects } from '../subjects/subjects.ts';
import { after, cutPage, readCursor } from './pages.ts';
import { presentHistory, presentSubject } from './present-subject.ts';
import { addSearches } from './search-routes.ts';
import type { DecidedView, HistoryPageView, RevealedHistoryView, RevealedWatchedView, SubjectView } from './views.ts';

const History = Type.Object({ after });
const IdPath = Type.Object({ id: Type.String() });
const HitPath = Type.Object({ id: Type.String(), hitId: Type.String() });
const reason = Type.String({ minLength: 1, maxLength: DECISION_REASON_MAX });
const Decision = Type.Object({
  decision: oneOf(['confirmed', 'not_this_subject']),
  reason,
  entryHash: Type.String({ minLength: 1, maxLength: 64 }),
});
const Withdrawal = Type.Object({ reason });

interface SubjectSources {
  watched: Pick<WatchedSubjects, 'hits'>;
  desk: Pick<ReviewDesk, 'decideHit'>;
}

export function addSubjectConsole(
  console: Console,
  { database, sealer, apiKeys }: Pick<Context, 'database' | 'sealer' | 'apiKeys'>,
  sources: SubjectSources,
): void {
  const browser = createWatchedBrowser(database, sealer);
  addSearches(console, browser, apiKeys);
  addSubjectPage(console, browser, sources.watched);
  addHitDecisions(console, browser, sources);
}

function addSubjectPage(
  { add, record, noteLook, keyNames }: Console,
  browser: WatchedBrowser,
  { hits }: SubjectSources['watched'],
): void {
  add('GET /console/api/subjects/:id', { params: IdPath }, async ({ params, request }): Promise<SubjectView> => {
    const browsed = await find(browser, params.id);
    await noteLook(request, 'subject.view', browsed.row.id);
    const content = browsed.content();
    const found = content ? await hits.list(browsed.row) : [];
    const customerName = (await keyNames()).customerOf(browsed.row.customer);
    return { ...presentSubject(browsed, found, await history(browsed, undefined)), customerName };
  });

  add(
    'POST /console/api/subjects/:id/reveal',
    { params: IdPath },
    async ({ params, request }): Promise<RevealedWatchedView> => {
      const browsed = await find(browser, params.id);
      const content = await reveal(record, browsed, request);
      const found = await hits.list(browsed.row);
      return { reference: content.reference, subject: content.subject, hits: found.map(presentHit) };
    },
  );

  add(
    'POST /console/api/subjects/:id/history',
    { params: IdPath, body: History },
    async ({ params, body }): Promise<HistoryPageView> => history(await find(browser, params.id), body.after),
  );

  add(
    'POST /console/api/subjects/:id/history/reveal',
    { params: IdPath, body: History },
    async ({ params, body, request }): Promise<RevealedHistoryView> => {
      const browsed = await find(browser, params.id);
      await reveal(record, browsed, request);
      const { found, ...next } = await historyPage(browsed, body.after);
      return { history: found.flatMap(({ record: one }) => (one ? [presentEntry(one)] : [])), ...next };
    },
  );

  async function historyPage({ row }: BrowsedSubject, cursor: string | undefined) {
    const page = { subjectId: row.id, before: readCursor(cursor), limit: PAGE_SIZE + 1 };
    return cutPage(await browser.alerts(page));
  }

  async function history(browsed: BrowsedSubject, cursor: string | undefined): Promise<HistoryPageView> {
    const { found, ...next } = await historyPage(browsed, cursor);
    return { history: found.map(presentHistory), ...next };
  }
}

function addHitDecisions(
  { add, recordWith }: Console,
  browser: WatchedBrowser,
  { watched: { hits }, desk }: SubjectSources,
): void {
  add(
    'POST /console/api/subjects/:id/hits/:hitId/decide',
    { params: HitPath, body: Decision },
    async ({ params, body, request }): Promise<DecidedView> => {
      const { row: subject } = await find(browser, params.id);
      const { decision: verdict, entryHash } = body;
      const judgement = { verdict, reason: readReason(body.reason), entryHash };
      const noted = recordWith(request, `hit.${verdict}`, requireUuid(params.hitId));
      // As the case that it is: where two have to agree, the first proposes.
      const { row } = await desk.decideHit(subject.id, params.hitId, operatorOf(request).operator, judgement, noted);
      return { state: row.state };
    },
  );

  add(
    'POST /console/api/subjects/:id/hits/:hitId/withdraw',
    { params: HitPath, body: Withdrawal },
    async ({ params, body, request }) => {
      const { row } = await find(browser, params.id);
      const { name: author } = operatorOf(request).operator;
      const noted = recordWith(request, 'hit.withdraw', requireUuid(params.hitId));
      const why = { reason: readReason(body.reason), author };
      await hits.withdraw(ownerFrom(row), row.id, params.hitId, why, noted);
      return {};
    },
  );
}

async function find(browser: WatchedBrowser, id: string): Promise<BrowsedSubject> {
  const [browsed] = await browser.lookAtAll([id]);
  if (!browsed) throw new AppError('not_found', 'There is no such subject; it may have been deleted.');
  return browsed;
}

async function reveal(record: Console['record'], browsed: BrowsedSubject, request: FastifyRequest) {
  const { role } = operatorOf(request).operator;
  if (browsed.row.world === 'live' && !isAllowed(role, 'subjects.reveal')) {
    await record(request, 'refused', 'subject.reveal');
    throw new AppError('forbidden', `The role ${role} sees who test subjects are only.`);
  }
  await record(request, 'subject.reveal', browsed.row.id);
  const content = browsed.content();
  if (!content) throw new AppError('not_found', 'This row was edited in the database and does not open.');
  return content;
}

function requireUuid(id: string): string {
  if (isUuid(id)) return id;
  throw new AppError('not_found', 'There is no hit with this id; it may be gone from the list.');
}

function readReason(given: string): string {
  const text = given.trim();
  if (!isVisible(text)) throw invalid('body.reason', 'must say something');
  return text;
}
