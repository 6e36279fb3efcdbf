// HTTP of the hits of watched subjects, decisions on them, and alerts.
import {
  DecidedHit,
  DecideHitRequest,
  ListScreeningAlertsQuery,
  ref,
  ScreeningAlertPage,
  WATCH_PAGE_DEFAULT,
  WATCHED_HITS_MAX,
  WatchedHits,
  WithdrawDecisionRequest,
} from '@limen/contract';
import { Type } from 'typebox';
import { toOwner } from '../../platform/api-keys/owner.ts';
import { invalid } from '../../platform/base/errors.ts';
import { isUuid } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import { cutPage, readCursor } from '../../platform/page.ts';
import { presentAlert, presentHit, presentMoreHits } from './present.ts';
import { type AddRoute, IdPath, NOT_VALID, runOnce, UNKNOWN_SUBJECT } from './route-parts.ts';
import { repliesAbout, type WatchedSubjects } from './subjects.ts';

const HitPath = Type.Object({ ...IdPath.properties, hitId: Type.String({ description: 'The hit’s id.' }) });

export function registerHitRoutes(add: AddRoute, { idempotency }: Context, watched: WatchedSubjects): void {
  add(
    'GET /v2/screening/subjects/:id/hits',
    {
      summary: 'List the hits of a subject',
      description: `The listed entities that matched at the last screening. If more than ${WATCHED_HITS_MAX} match, the best of them, and earlier hits.`,
      params: IdPath,
      reply: { 200: ref(WatchedHits) },
      errors: { 404: UNKNOWN_SUBJECT },
    },
    async ({ caller, params }) => {
      const subject = await watched.find(toOwner(caller), params.id);
      return { hits: (await watched.hits.list(subject.row)).map(presentHit), ...presentMoreHits(subject.row) };
    },
  );

  add(
    'POST /v2/screening/subjects/:id/hits/:hitId/decision',
    {
      summary: 'Decide on a hit',
      description:
        'Says whether the subject is the listed entity. The decision holds until the entry changes, or what is known of the subject, or the strength of the match; then it lapses, and the alert says so. A new decision replaces the last one; all are kept in the evidence.',
      params: HitPath,
      idempotent: true,
      body: DecideHitRequest,
      reply: { 200: ref(DecidedHit, 'It is decided.') },
      errors: {
        400: NOT_VALID,
        404: 'There is no such hit, or it belongs to another customer or world.',
        409: 'The listed entry has changed since.',
      },
    },
    async ({ caller, body, params: { id, hitId }, creation }) => {
      const owner = toOwner(caller);
      return runOnce(idempotency, 'decide', owner, creation, async (trx) => {
        const hit = await watched.hits.decide(owner, id, hitId, body, undefined, trx);
        return { reply: { ...presentHit(hit), ...creation.warned }, resource: repliesAbout(id) };
      });
    },
  );

  add(
    'POST /v2/screening/subjects/:id/hits/:hitId/decision/withdraw',
    {
      summary: 'Withdraw a decision',
      description:
        'Withdraws the decision on a hit, so that it must be decided again. Both decisions, their authors and reasons stay in the evidence.',
      params: HitPath,
      idempotent: true,
      body: WithdrawDecisionRequest,
      reply: { 200: ref(DecidedHit, 'It is open again.') },
      errors: {
        400: NOT_VALID,
        404: 'There is no such hit, it belongs to another customer or world, or nothing is decided on it.',
      },
    },
    async ({ caller, body: { reason, author }, params: { id, hitId }, creation }) => {
      const owner = toOwner(caller);
      return runOnce(idempotency, 'withdraw', owner, creation, async (trx) => {
        const hit = await watched.hits.withdraw(owner, id, hitId, { reason, author }, undefined, trx);
        return { reply: { ...presentHit(hit), ...creation.warned }, resource: repliesAbout(id) };
      });
    },
  );
}

export function registerAlertRoutes(add: AddRoute, watched: WatchedSubjects): void {
  add(
    'GET /v2/screening/alerts',
    {
      summary: 'List alerts',
      description: 'Changes to the customer’s subjects, newest first, including those without a webhook.',
      query: ListScreeningAlertsQuery,
      reply: { 200: ref(ScreeningAlertPage, 'One page.') },
      errors: { 400: NOT_VALID },
    },
    async ({ caller, query }) => {
      const { limit = WATCH_PAGE_DEFAULT, cursor, since, ...filter } = query;
      if (filter.subjectId !== undefined && !isUuid(filter.subjectId))
        throw invalid('query.subjectId', 'must be the id of a subject');
      const from = since === undefined ? undefined : readTime(since);
      const page = { limit: limit + 1, before: readCursor(cursor), ...filter, since: from };
      const found = await watched.alerts(toOwner(caller), page);
      const [alerts, nextCursor] = cutPage(found.map(presentAlert), limit);
      return { alerts, ...nextCursor };
    },
  );
}

function readTime(text: string): number {
  const moment = /^\d{4}-\d{2}-\d{2}(T|$)/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(moment)) return moment;
  throw invalid('query.since', 'must be a time, such as 2026-11-16T08:00:00Z');
}
