import { ListScreeningAlertsQuery, ref, ScreeningAlertPage, WATCH_PAGE_DEFAULT } from '@limen/contract';
import { ownerOf } from '../../platform/api-keys/owner.ts';
import { invalid } from '../../platform/base/errors.ts';
import { isUuid } from '../../platform/base/ids.ts';
import type { AddHostRoute } from '../../platform/http/route.ts';
import { cutPage, readCursor } from '../../platform/page.ts';
import { presentAlert } from './present.ts';
import { NOT_VALID } from './route-texts.ts';
import type { WatchedSubjects } from './subjects.ts';

export function registerAlertRoutes(add: AddHostRoute<'client'>, watched: WatchedSubjects): void {
  add(
    'GET /v2/screening/alerts',
    {
      summary: 'List alerts',
      description: 'What changed for the customer’s subjects, newest first, whether or not a webhook told it.',
      query: ListScreeningAlertsQuery,
      reply: { 200: ref(ScreeningAlertPage, 'One page.') },
      errors: { 400: NOT_VALID },
    },
    async ({ caller, query }) => {
      const { limit = WATCH_PAGE_DEFAULT, cursor, since, ...filter } = query;
      if (filter.subjectId !== undefined && !isUuid(filter.subjectId))
        throw invalid('query.subjectId', 'must be the id of a subject');
      const from = since === undefined ? {} : { since: readTime(since) };
      const page = { limit: limit + 1, before: readCursor(cursor), ...filter, ...from };
      const found = await watched.alerts(ownerOf(caller), page);
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
