// Lists of watched subjects, alerts and cleared hits in the console. Subjects are named only on request.
import { ALERT_KINDS, oneOf, WATCH_STATES } from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import type { Console } from '../../console/door/console.ts';
import { requireOperator } from '../../console/door/guard.ts';
import { isAllowed } from '../../console/operators/permissions.ts';
import type { ApiKeys } from '../../platform/api-keys/api-keys.ts';
import { toOwner } from '../../platform/api-keys/owner.ts';
import { invalid } from '../../platform/base/errors.ts';
import { type CustomerId, isUuid, named } from '../../platform/base/ids.ts';
import type { World } from '../../platform/base/world.ts';
import { PAGE_SIZE } from '../limits.ts';
import type { WatchedBrowser } from '../subjects/browse.ts';
import { formatSubjectName, presentAlert, presentCleared, presentSubjectRow } from './present-subject.ts';
import type { AlertPageView, ClearedPageView, SubjectPageView } from './views.ts';

export const after = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }));
const whose = {
  customer: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  world: Type.Optional(oneOf(['live', 'test'])),
  after,
};
const Subjects = Type.Object({
  ...whose,
  state: Type.Optional(oneOf(WATCH_STATES)),
  hits: Type.Optional(oneOf(['open', 'decided', 'none'])),
  reference: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
});
const Alerts = Type.Object({ ...whose, kind: Type.Optional(oneOf(ALERT_KINDS)) });
const Cleared = Type.Object(whose);

type SearchedPage<Item> = { found: Item[]; next?: string };

interface SearchList<Body extends TSchema, Item> {
  body: Body;
  find(body: Static<Body>, request: FastifyRequest): Promise<SearchedPage<Item>>;
  subjectOf(item: Item): { id: string; world: World };
  /** `isShown`: whether the subjects of a world are named. */
  present(page: SearchedPage<Item>, isShown: (world: World) => boolean): object | Promise<object>;
}

export function addSearches(console: Console, browser: WatchedBrowser, apiKeys: Pick<ApiKeys, 'list'>): void {
  const { digest, record } = console;

  addSearch(console, 'subjects', {
    body: Subjects,
    async find({ customer, reference, after: cursor, ...filters }, request) {
      if (reference === undefined) return cutPage(await browser.list({ ...filters, ...createPage(customer, cursor) }));
      await record(request, 'subject.search', digest('audit/reference', reference));
      const owners = (await apiKeys.list())
        .map(toOwner)
        .filter((owner) => customer === undefined || owner.customer === customer)
        .filter((owner) => filters.world === undefined || owner.world === filters.world);
      return { found: await browser.findByReference(owners, reference) };
    },
    subjectOf: ({ row }) => row,
    present({ found, ...next }, isShown): SubjectPageView {
      const subjects = found.map((browsed) => {
        const content = isShown(browsed.row.world) ? browsed.content() : undefined;
        const who = content && { name: formatSubjectName(content), reference: content.reference };
        return { ...presentSubjectRow(browsed), ...(who && { who }) };
      });
      return { subjects, ...next };
    },
  });

  addSearch(console, 'alerts', {
    body: Alerts,
    async find({ customer, world, kind, after: cursor }) {
      const kinds = kind === undefined ? ALERT_KINDS : [kind];
      return cutPage(await browser.alerts({ world, kinds, ...createPage(customer, cursor) }));
    },
    subjectOf: ({ row }) => ({ id: row.subject_id, world: row.world }),
    present: ({ found, ...next }, isShown): AlertPageView => ({
      alerts: found.map((alert) => presentAlert(alert, isShown(alert.row.world))),
      ...next,
    }),
  });

  addSearch(console, 'cleared', {
    body: Cleared,
    async find({ customer, world, after: cursor }) {
      const page = { world, ...createPage(customer, cursor), limit: PAGE_SIZE };
      const { decisions, ...next } = await browser.cleared(page);
      return { found: decisions, ...next };
    },
    subjectOf: ({ subject }) => subject,
    async present({ found, ...next }, isShown): Promise<ClearedPageView> {
      const shown = found.filter(({ subject }) => isShown(subject.world)).map(({ subject }) => subject.id);
      const browsed = new Map((await browser.lookAtAll(shown)).map((subject) => [subject.row.id, subject]));
      const cleared = found.map((decided) => {
        const content = browsed.get(decided.subject.id)?.content();
        const who = content && {
          name: formatSubjectName(content),
          reference: content.reference,
          listed: decided.hit.match.caption,
          reason: decided.decision.reason,
        };
        return { ...presentCleared(decided), ...(who && { who }) };
      });
      return { cleared, ...next };
    },
  });
}

/** Adds the list, and the list that names subjects, which is recorded in the audit log. */
function addSearch<Body extends TSchema, Item>(
  { add, record }: Console,
  name: 'subjects' | 'alerts' | 'cleared',
  { body: shape, find, subjectOf, present }: SearchList<Body, Item>,
): void {
  add(`POST /console/api/${name}/search`, { body: shape }, async ({ body, request }) =>
    present(await find(body, request), () => false),
  );
  add(`POST /console/api/${name}/search/reveal`, { body: shape }, async ({ body, request }) => {
    const page = await find(body, request);
    const { role } = requireOperator(request).operator;
    const isShown = (world: World) => world === 'test' || isAllowed(role, 'subjects.reveal');
    const shown = page.found.map(subjectOf).filter(({ world }) => isShown(world));
    if (shown.length > 0) await record(request, 'subject.reveal', [...new Set(shown.map(({ id }) => id))].join(' '));
    return present(page, isShown);
  });
}

function createPage(customer: string | undefined, cursor: string | undefined) {
  const owner = customer === undefined ? undefined : named<CustomerId>(customer);
  return { customer: owner, before: readCursor(cursor), limit: PAGE_SIZE + 1 };
}

/** Reads the id of the last row of the page before. */
export function readCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined || isUuid(cursor)) return cursor;
  throw invalid('body.after', 'must be the next of an earlier page, unchanged');
}

/** Cuts `rows`, which has one row more than the page if there is another page. */
export function cutPage<Item extends { row: { id: string } }>(rows: Item[]): SearchedPage<Item> {
  const found = rows.slice(0, PAGE_SIZE);
  return rows.length > PAGE_SIZE ? { found, next: found.at(-1)!.row.id } : { found };
}
