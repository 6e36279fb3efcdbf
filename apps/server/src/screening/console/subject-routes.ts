// Watched subjects in the console: whose they are, what was found for them and when, and what operators decide on it.
import { ALERT_KINDS, DECISION_REASON_MAX, isVisible, oneOf, WATCH_STATES } from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Console } from '../../console/door/console.ts';
import { operatorOf } from '../../console/door/guard.ts';
import { isAllowed } from '../../console/operators/permissions.ts';
import type { ApiKeys } from '../../platform/api-keys/api-keys.ts';
import { ownerFrom, ownerOf } from '../../platform/api-keys/owner.ts';
import { AppError, invalid } from '../../platform/base/errors.ts';
import { type CustomerId, isUuid, named } from '../../platform/base/ids.ts';
import type { World } from '../../platform/base/world.ts';
import type { Context } from '../../platform/context.ts';
import type { ReviewDesk } from '../../review/desk.ts';
import {
  type BrowsedAlert,
  type BrowsedSubject,
  createWatchedBrowser,
  type WatchedBrowser,
} from '../subjects/browse.ts';
import { presentHistory as presentEntry, presentHit } from '../subjects/present.ts';
import type { WatchedSubjects } from '../subjects/subjects.ts';
import {
  nameOfSubject,
  presentAlert,
  presentCleared,
  presentHistory,
  presentSubject,
  presentSubjectRow,
} from './present-subject.ts';
import type {
  AlertPageView,
  ClearedPageView,
  DecidedView,
  HistoryPageView,
  RevealedHistoryView,
  RevealedWatchedView,
  SubjectPageView,
  SubjectView,
} from './views.ts';

const PAGE_SIZE = 50;
/** What a reference may have. */
const MAX_REFERENCE = 255;

const short = Type.String({ minLength: 1, maxLength: 200 });
const whose = { customer: Type.Optional(short), world: Type.Optional(oneOf(['live', 'test'])) };
const page = { after: Type.Optional(short) };
const Subjects = Type.Object({
  ...whose,
  ...page,
  state: Type.Optional(oneOf(WATCH_STATES)),
  hits: Type.Optional(oneOf(['open', 'decided', 'none'])),
  reference: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_REFERENCE })),
});
const Alerts = Type.Object({ ...whose, ...page, kind: Type.Optional(oneOf(ALERT_KINDS)) });
const Cleared = Type.Object({ ...whose, ...page });
const History = Type.Object(page);
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
  watched: Pick<WatchedSubjects, 'hits' | 'withdraw'>;
  desk: Pick<ReviewDesk, 'decideHit'>;
}

export function addSubjectConsole(
  console: Console,
  { database, sealer, apiKeys }: Pick<Context, 'database' | 'sealer' | 'apiKeys'>,
  { watched, desk }: SubjectSources,
): void {
  const browser = createWatchedBrowser(database, sealer);
  addSubjectLists(console, browser, apiKeys);
  addSubjectPage(console, browser, watched);
  addHitDecisions(console, browser, { watched, desk });
  addAlertLists(console, browser);
  addClearedLists(console, browser);
}

function addSubjectLists(
  { add, digest, record }: Console,
  browser: WatchedBrowser,
  apiKeys: Pick<ApiKeys, 'list'>,
): void {
  add('POST /console/api/subjects/search', { body: Subjects }, async ({ body, request }): Promise<SubjectPageView> => {
    const { found, ...next } = await subjects(body, request);
    return { subjects: found.map(presentSubjectRow), ...next };
  });

  add(
    'POST /console/api/subjects/search/reveal',
    { body: Subjects },
    async ({ body, request }): Promise<SubjectPageView> => {
      const { found, ...next } = await subjects(body, request);
      const isShown = await revealing(
        record,
        request,
        found.map(({ row }) => row),
      );
      return {
        subjects: found.map((browsed) => {
          const content = isShown(browsed.row.world) ? browsed.content() : undefined;
          const who = content && { name: nameOfSubject(content), reference: content.reference };
          return { ...presentSubjectRow(browsed), ...(who && { who }) };
        }),
        ...next,
      };
    },
  );

  async function subjects(
    { customer, reference, after, ...filters }: Static<typeof Subjects>,
    request: FastifyRequest,
  ): Promise<{ found: BrowsedSubject[]; next?: string }> {
    if (reference !== undefined) {
      await record(request, 'subject.search', digest('audit/reference', reference));
      const owners = (await apiKeys.list())
        .map(ownerOf)
        .filter((owner) => customer === undefined || owner.customer === customer)
        .filter((owner) => filters.world === undefined || owner.world === filters.world);
      return { found: await browser.findByReference(owners, reference) };
    }
    const found = await browser.list({
      ...filters,
      customer: customerOf(customer),
      before: readCursor(after),
      limit: PAGE_SIZE + 1,
    });
    const shown = found.slice(0, PAGE_SIZE);
    return { found: shown, ...nextOf(found.length, shown.at(-1)?.row.id) };
  }
}

function addSubjectPage(
  { add, record, noteLook, keyNames }: Console,
  browser: WatchedBrowser,
  watched: SubjectSources['watched'],
): void {
  add('GET /console/api/subjects/:id', { params: IdPath }, async ({ params, request }): Promise<SubjectView> => {
    const browsed = await find(browser, params.id);
    await noteLook(request, 'subject.view', browsed.row.id);
    const content = browsed.content();
    const hits = content ? await watched.hits({ ...browsed, content }) : [];
    const customerName = (await keyNames()).customerOf(browsed.row.customer);
    return { ...presentSubject(browsed, hits, await history(browsed, undefined)), customerName };
  });

  add(
    'POST /console/api/subjects/:id/reveal',
    { params: IdPath },
    async ({ params, request }): Promise<RevealedWatchedView> => {
      const browsed = await find(browser, params.id);
      const content = await reveal(record, browsed, request);
      const hits = await watched.hits({ ...browsed, content });
      return { reference: content.reference, subject: content.subject, hits: hits.map(presentHit) };
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

  async function historyPage(
    { row }: BrowsedSubject,
    after: string | undefined,
  ): Promise<{ found: BrowsedAlert[]; next?: string }> {
    const found = await browser.history(row, { before: readCursor(after), limit: PAGE_SIZE + 1 });
    const shown = found.slice(0, PAGE_SIZE);
    return { found: shown, ...nextOf(found.length, shown.at(-1)?.row.id) };
  }

  async function history(browsed: BrowsedSubject, after: string | undefined): Promise<HistoryPageView> {
    const { found, ...next } = await historyPage(browsed, after);
    return { history: found.map(presentHistory), ...next };
  }
}

function addHitDecisions(
  { add, recordWith }: Console,
  browser: WatchedBrowser,
  { watched, desk }: SubjectSources,
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
      await watched.withdraw(ownerFrom(row), row.id, params.hitId, why, noted);
      return {};
    },
  );
}

function addAlertLists({ add, record }: Console, browser: WatchedBrowser): void {
  async function alerts({ customer, world, kind, after }: Static<typeof Alerts>) {
    const found = await browser.alerts({
      customer: customerOf(customer),
      world,
      kinds: kind === undefined ? ALERT_KINDS : [kind],
      before: readCursor(after),
      limit: PAGE_SIZE + 1,
    });
    const shown = found.slice(0, PAGE_SIZE);
    return { found: shown, ...nextOf(found.length, shown.at(-1)?.row.id) };
  }

  add('POST /console/api/alerts/search', { body: Alerts }, async ({ body }): Promise<AlertPageView> => {
    const { found, ...next } = await alerts(body);
    return { alerts: found.map((alert) => presentAlert(alert, false)), ...next };
  });

  add('POST /console/api/alerts/search/reveal', { body: Alerts }, async ({ body, request }): Promise<AlertPageView> => {
    const { found, ...next } = await alerts(body);
    const isShown = await revealing(
      record,
      request,
      found.map(({ row }) => ({ id: row.subject_id, world: row.world })),
    );
    return { alerts: found.map((alert) => presentAlert(alert, isShown(alert.row.world))), ...next };
  });
}

function addClearedLists({ add, record }: Console, browser: WatchedBrowser): void {
  const cleared = ({ customer, world, after }: Static<typeof Cleared>) =>
    browser.cleared({ customer: customerOf(customer), world, before: readCursor(after), limit: PAGE_SIZE });

  add('POST /console/api/cleared/search', { body: Cleared }, async ({ body }): Promise<ClearedPageView> => {
    const { decisions, ...next } = await cleared(body);
    return { cleared: decisions.map(presentCleared), ...next };
  });

  add(
    'POST /console/api/cleared/search/reveal',
    { body: Cleared },
    async ({ body, request }): Promise<ClearedPageView> => {
      const { decisions, ...next } = await cleared(body);
      const isShown = await revealing(
        record,
        request,
        decisions.map(({ subject }) => subject),
      );
      const subjectsOf = new Map(
        (await browser.lookAtAll(decisions.map(({ subject }) => subject.id))).map((one) => [one.row.id, one]),
      );
      const views = decisions.map((one) => {
        const content = isShown(one.subject.world) ? subjectsOf.get(one.subject.id)?.content() : undefined;
        const who = content && {
          name: nameOfSubject(content),
          reference: content.reference,
          listed: one.hit.match.caption,
          reason: one.decision.reason,
        };
        return { ...presentCleared(one), ...(who && { who }) };
      });
      return { cleared: views, ...next };
    },
  );
}

async function find(browser: WatchedBrowser, id: string): Promise<BrowsedSubject> {
  const browsed = await browser.look(id);
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

/** Records a look at a list. Rows of a world that the role does not see stay hidden. */
async function revealing(
  record: Console['record'],
  request: FastifyRequest,
  rows: readonly { id: string; world: World }[],
): Promise<(world: World) => boolean> {
  const { role } = operatorOf(request).operator;
  const isShown = (world: World) => world === 'test' || isAllowed(role, 'subjects.reveal');
  const ids = [...new Set(rows.filter(({ world }) => isShown(world)).map(({ id }) => id))];
  if (ids.length > 0) await record(request, 'subject.reveal', ids.join(' '));
  return isShown;
}

function customerOf(text: string | undefined): CustomerId | undefined {
  return text === undefined ? undefined : named<CustomerId>(text);
}

function nextOf(found: number, last: string | undefined): { next?: string } {
  return found > PAGE_SIZE && last !== undefined ? { next: last } : {};
}

function readCursor(after: string | undefined): string | undefined {
  if (after === undefined || isUuid(after)) return after;
  throw invalid('body.after', 'must be the next of an earlier page, unchanged');
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
