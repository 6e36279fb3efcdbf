// The review queue in the console: calls that find, assign, comment on and decide cases.
import { DECISION_REASON_MAX, isVisible, oneOf } from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Console } from '../../console/door/console.ts';
import { requireOperator } from '../../console/door/guard.ts';
import type { ListedOperator, Operators } from '../../console/operators/operators.ts';
import { isAllowed } from '../../console/operators/permissions.ts';
import { AppError, invalid } from '../../platform/base/errors.ts';
import type { Context } from '../../platform/context.ts';
import { hashLine } from '../../platform/sealing/hash-chain.ts';
import { CASE_KINDS, CASE_STATES, type CaseRow, EVERY_VERDICT } from '../case.ts';
import type { ReviewCase, ReviewDesk } from '../desk.ts';
import { COUNTED_UP_TO, MAX_COMMENT_LENGTH, PAGE_SIZE } from '../limits.ts';
import { type DescribeCase, presentCase, presentCaseRow } from './present.ts';
import type { CasePageView, CaseTransactionView, CaseView, RevealedSubjectView, ReviewerView } from './views.ts';

const CURSOR = /^(\d{1,15})\.([0-9a-f-]{36})$/;

const short = Type.String({ minLength: 1, maxLength: 200 });
const Search = Type.Object({
  state: Type.Optional(oneOf(CASE_STATES)),
  kind: Type.Optional(oneOf(CASE_KINDS)),
  world: Type.Optional(oneOf(['live', 'test'])),
  key: Type.Optional(short),
  assignee: Type.Optional(oneOf(['me', 'nobody'])),
  overdue: Type.Optional(Type.Boolean()),
  after: Type.Optional(short),
  version: Type.Optional(short),
});
const IdPath = Type.Object({ id: Type.String() });
const Assignment = Type.Object({ operator: Type.Union([short, Type.Null()]) });
const Comment = Type.Object({ text: Type.String({ minLength: 1, maxLength: MAX_COMMENT_LENGTH }) });
const Judgment = Type.Object({
  verdict: oneOf(EVERY_VERDICT),
  reason: Type.String({ minLength: 1, maxLength: DECISION_REASON_MAX }),
  entryHash: Type.Optional(short),
});

export interface HitCases {
  describe: DescribeCase;
  /** Returns undefined if the hit or its subject is gone. */
  reveal(row: CaseRow): Promise<RevealedSubjectView | undefined>;
}

interface CaseSources {
  desk: ReviewDesk;
  describeSession: DescribeCase;
  hits: HitCases;
}

interface ReviewLookups {
  keyNames: Console['keyNames'];
  clock: Context['clock'];
  operators: Pick<Operators, 'list'>;
}

export function addReviewConsole(
  console: Console,
  { clock }: Pick<Context, 'clock'>,
  { operators, ...sources }: CaseSources & Pick<ReviewLookups, 'operators'>,
): void {
  const lookups = { keyNames: console.keyNames, clock, operators };
  addQueue(console, sources.desk, lookups);
  addCases(console, sources, lookups);
}

function addQueue({ add }: Console, desk: ReviewDesk, lookups: ReviewLookups): void {
  add('POST /console/api/review/search', { body: Search }, async ({ body, request }): Promise<CasePageView> => {
    const { key, assignee, overdue, after, version, ...filters } = body;
    const now = lookups.clock.now();
    const found = await desk.search({
      ...filters,
      apiKeyId: key,
      assigneeId: assignee === 'me' ? requireOperator(request).operator.id : assignee === 'nobody' ? null : undefined,
      dueBefore: overdue ? now : undefined,
      after: after === undefined ? undefined : readCursor(after),
      limit: PAGE_SIZE + 1,
    });
    const counts = { ...(await desk.count(COUNTED_UP_TO + 1)), upTo: COUNTED_UP_TO };
    const page = found.slice(0, PAGE_SIZE);
    const states = page.map(({ row }) => [row.id, row.state, row.assignee_id, row.due_at < now]);
    const current = hashLine(JSON.stringify([counts, states]));
    if (version === current) return { version: current, counts };
    const seen = await look(lookups, request);
    const last = found.length > PAGE_SIZE ? page.at(-1)?.row : undefined;
    return {
      version: current,
      counts,
      cases: page.map((found) => presentCaseRow(found, seen)),
      ...(last && { next: `${last.due_at}.${last.id}` }),
    };
  });

  add('GET /console/api/review/reviewers', {}, async ({ request }): Promise<{ reviewers: ReviewerView[] }> => {
    const all = await lookups.operators.list();
    const reviewers = all.filter(mayReview);
    return {
      reviewers: reviewers.map(({ id, name }) => ({ id, name, isMe: id === requireOperator(request).operator.id })),
    };
  });
}

function addCases(
  { add, record, recordWith }: Console,
  { desk, describeSession, hits }: CaseSources,
  lookups: ReviewLookups,
): void {
  const describe: Record<CaseRow['kind'], DescribeCase> = { session: describeSession, hit: hits.describe };

  add('GET /console/api/review/:id', { params: IdPath }, async ({ params, request }) => {
    const found = await desk.find(params.id);
    await record(request, 'case.view', found.row.id);
    return present(found, request);
  });

  const assignShape = { params: IdPath, body: Assignment };
  add('POST /console/api/review/:id/assign', assignShape, async ({ params, body, request }) => {
    const { row } = await desk.find(params.id);
    const { operator } = requireOperator(request);
    const assignee = body.operator === null ? null : await findReviewer(body.operator);
    const writeAudit = recordWith(request, 'case.assign', row.id);
    return present(await desk.assign(row.id, assignee, operator, writeAudit), request);
  });

  add('POST /console/api/review/:id/comment', { params: IdPath, body: Comment }, async ({ params, body, request }) => {
    const { row } = await desk.find(params.id);
    const text = readText('text', body.text);
    const writeAudit = recordWith(request, 'case.comment', row.id);
    await desk.comment(row.id, requireOperator(request).operator, text, writeAudit);
    return present(await desk.find(row.id), request);
  });

  add('POST /console/api/review/:id/decide', { params: IdPath, body: Judgment }, async ({ params, body, request }) => {
    const { row } = await desk.find(params.id);
    if (row.kind === 'hit' && body.entryHash === undefined) {
      throw invalid('body.entryHash', 'must be that of the hit that was looked at');
    }
    const reason = readText('reason', body.reason);
    const writeAudit = recordWith(request, 'case.decide', `${row.id} ${body.verdict}`);
    const { operator } = requireOperator(request);
    return present(await desk.decide(row.id, operator, { ...body, reason }, writeAudit), request);
  });

  add('POST /console/api/review/:id/reveal', { params: IdPath }, async ({ params, request }) => {
    const { row } = await desk.find(params.id);
    const revealed = row.kind === 'hit' ? await hits.reveal(row) : undefined;
    if (!revealed) throw new AppError('not_found', 'The hit is no longer listed, or its subject was deleted.');
    await record(request, 'subject.reveal', row.about);
    return revealed;
  });

  add('POST /console/api/review/:id/transaction', { params: IdPath }, async ({ params, request }) => {
    const { row, content } = await desk.find(params.id);
    await record(request, 'case.reveal', row.id);
    return { transactionId: content?.session?.transactionId ?? null } satisfies CaseTransactionView;
  });

  async function present(found: ReviewCase, request: FastifyRequest): Promise<CaseView> {
    const { row } = found;
    const [seen, notes, details] = await Promise.all([
      look(lookups, request),
      desk.history(row.id),
      describe[row.kind](found),
    ]);
    return presentCase(found, seen, { eyes: desk.eyes, notes, details });
  }

  async function findReviewer(id: string) {
    const reviewer = (await lookups.operators.list()).find((operator) => operator.id === id);
    if (reviewer && mayReview(reviewer)) return { id: reviewer.id, name: reviewer.name };
    throw invalid('body.operator', 'must be an operator who can sign in and whose role may decide cases');
  }
}

async function look({ keyNames, clock, operators }: ReviewLookups, request: FastifyRequest) {
  const [keys, all] = await Promise.all([keyNames(), operators.list()]);
  return {
    operatorId: requireOperator(request).operator.id,
    now: clock.now(),
    keys,
    names: new Map(all.map(({ id, name }) => [id as string, name])),
  };
}

/** Refuses operators who cannot sign in yet: they would leave a case lying. */
function mayReview({ role, passkeys, isProvided }: ListedOperator): boolean {
  return isAllowed(role, 'review.decide') && (passkeys > 0 || isProvided);
}

function readCursor(text: string): Pick<CaseRow, 'due_at' | 'id'> {
  const [, time, id] = CURSOR.exec(text) ?? [];
  if (time === undefined || id === undefined)
    throw invalid('body.after', 'must be the next of an earlier page, unchanged');
  return { due_at: Number(time), id };
}

function readText(field: string, value: string): string {
  const text = value.trim();
  if (!isVisible(text)) throw invalid(`body.${field}`, 'must not be blank');
  return text;
}
