// Finds, assigns, comments on and decides cases for reviewers.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DecideHitRequest } from '@limen/contract';
import { type Owner, ownerFrom } from '../platform/api-keys/owner.ts';
import { AppError, invalid } from '../platform/base/errors.ts';
import { isUuid, type OperatorId, type SessionId } from '../platform/base/ids.ts';
import type { Core } from '../platform/core.ts';
import type { InTransaction, Transaction } from '../platform/database/database.ts';
import type { Webhooks } from '../webhooks/outbox.ts';
import {
  type CaseActor,
  type CaseContent,
  type CaseRow,
  type NoteContent,
  type Opinion,
  VERDICTS,
  type Verdict,
} from './case.ts';
import { decidedRow, reviewFrom } from './cases.ts';
import type { CaseFiles } from './notes.ts';
import type { CaseFilter, ReviewStore } from './store.ts';

export interface ReviewCase {
  row: CaseRow;
  content: CaseContent | undefined;
}

interface Judgment {
  verdict: Verdict;
  reason: string;
  /** Entry of the hit that the reviewer saw; a case about a session has none */
  entryHash?: string | undefined;
}

export interface HitDecisions {
  /** `authorize` runs in the transaction of the decision, and prevents it by throwing. */
  decide(
    owner: Owner,
    subjectId: string,
    hitId: string,
    request: DecideHitRequest,
    authorize: InTransaction,
  ): Promise<unknown>;
}

interface DeskParts extends Pick<Core, 'database' | 'clock'> {
  store: ReviewStore;
  files: CaseFiles;
  webhooks: Pick<Webhooks, 'enqueue'>;
  watched: HitDecisions | undefined;
  eyes: ReviewerCount;
  retentionMs: number;
}

export function createReviewDesk(parts: DeskParts) {
  const { store, files, clock, eyes } = parts;
  const desk = {
    eyes,
    search: async (filter: CaseFilter) => (await store.list(filter)).map((row) => openCase(parts, row)),
    count: (upTo: number) => store.count(clock.now(), upTo),
    find: (id: string) => findCase(parts, id),
    async findOfSession(id: SessionId) {
      const row = await store.findOfSession(id);
      return row && openCase(parts, row);
    },
    history: files.history,

    /** Assigns a case, or releases it if `assignee` is null. `writeAudit` runs in the transaction of the change. */
    assign: (id: string, assignee: CaseActor | null, by: CaseActor, writeAudit: InTransaction) =>
      workOnCase(parts, id, writeAudit, async (trx, row, content) => {
        if (row.state === 'decided') throw new AppError('case_decided', 'The case is already decided.');
        const note: NoteContent = assignee
          ? { act: 'assigned', by: by.name, ...(assignee.id !== by.id && { text: assignee.name }) }
          : { act: 'released', by: by.name };
        return { row: await files.change(trx, { ...row, assignee_id: assignee?.id ?? null }, content, note), content };
      }),

    async comment(id: string, by: CaseActor, text: string, writeAudit: InTransaction) {
      await workOnCase(parts, id, writeAudit, async (trx, row, content) => {
        await files.note(trx, row.id, { act: 'comment', by: by.name, text });
        return { row, content };
      });
    },

    async decide(id: string, by: CaseActor, judgment: Judgment, writeAudit: InTransaction) {
      for (;;) {
        try {
          return await decideOnce(parts, id, by, judgment, writeAudit);
        } catch (error) {
          if (!(error instanceof CaseChangedError)) throw error;
          await nextTurn(); // the other change is visible once it is on the disk
        }
      }
    },

    async decideHit(subjectId: string, hitId: string, by: CaseActor, judgment: Judgment, writeAudit: InTransaction) {
      const row = isUuid(hitId) ? await store.findOfHit(hitId) : undefined;
      if (row?.about !== subjectId) {
        throw new AppError(
          'not_found',
          'This hit has no open case: it is no longer listed, or was decided before. Withdraw the old decision first.',
        );
      }
      return desk.decide(row.id, by, judgment, writeAudit);
    },
  };
  return desk;
}

export type ReviewDesk = ReturnType<typeof createReviewDesk>;

/** The case needs to be read again before a decision. */
class CaseChangedError extends Error {}

async function decideOnce(
  parts: DeskParts,
  id: string,
  by: CaseActor,
  judgment: Judgment,
  writeAudit: InTransaction,
): Promise<ReviewCase> {
  const { files, clock, eyes, retentionMs } = parts;
  const { verdict, reason } = judgment;
  const { row: seen, content: before } = await findCase(parts, id);
  if (!before) throw unreadable();
  const opinion: Opinion = { verdict, reason, by: by.name, at: clock.now() };
  const judgeCase = (row: CaseRow, content: CaseContent) => judge(row, content, eyes, by.id, opinion);
  if (seen.kind === 'hit' && judgeCase(seen, before).act === 'decided') {
    await closeHit(parts, seen, { ...judgment, by }, judgeCase, writeAudit);
    return findCase(parts, id);
  }
  return workOnCase(parts, id, writeAudit, async (trx, row, locked) => {
    // Judges the locked row, so that a second decision at the same time sees the first.
    const { act, content } = judgeCase(row, locked);
    const note = { act, by: by.name, text: reason, verdict };
    if (act !== 'decided') {
      const state = act === 'proposed' ? ('proposed' as const) : ('open' as const);
      return { row: await files.change(trx, { ...row, state }, content, note), content };
    }
    if (row.kind === 'hit') throw new CaseChangedError();
    const decided = await files.change(trx, decidedRow(row, clock.now(), retentionMs), content, note);
    await enqueueReview(parts, trx, decided, content);
    return { row: decided, content };
  });
}

/** Decides the hit in its own transaction, which also closes the case. */
async function closeHit(
  { store, files, watched }: DeskParts,
  { hit_id, about, ...row }: CaseRow,
  { verdict, reason, entryHash, by }: Judgment & { by: CaseActor },
  judgeCase: (row: CaseRow, content: CaseContent) => Step,
  writeAudit: InTransaction,
): Promise<void> {
  if (!watched || hit_id === null) throw new AppError('not_found', 'This process does not decide hits.');
  const request = { decision: verdict, reason, author: by.name, entryHash } as DecideHitRequest;
  await watched.decide(ownerFrom(row), about, hit_id, request, async (trx) => {
    const held = await store.holdOfHit(trx, hit_id);
    if (!held) throw notFound();
    const content = files.openIfWhole(held);
    if (!content) throw unreadable();
    if (judgeCase(held, content).act !== 'decided') throw new CaseChangedError();
    await writeAudit(trx);
  });
}

async function enqueueReview({ webhooks }: DeskParts, trx: Transaction, row: CaseRow, content: CaseContent) {
  const { callback, transactionId } = content.session ?? {};
  const review = reviewFrom(content);
  if (!callback || !review) return;
  const sessionId = row.about as SessionId;
  const about = { owner: ownerFrom(row), apiKeyId: row.api_key_id, sessionId, ...callback, purgeAt: row.purge_at! };
  const event = 'review.decided' as const;
  const body = { event, sessionId, ...(transactionId !== undefined && { transactionId }), review };
  await webhooks.enqueue(trx, { ...about, event, body });
}

function workOnCase(
  { database, store, files }: DeskParts,
  id: string,
  writeAudit: InTransaction,
  act: (trx: Transaction, row: CaseRow, content: CaseContent) => Promise<ReviewCase>,
): Promise<ReviewCase> {
  return database.transact(async (trx) => {
    const row = isUuid(id) ? await store.hold(trx, id) : undefined;
    if (!row) throw notFound();
    const content = files.openIfWhole(row);
    if (!content) throw unreadable();
    const done = await act(trx, row, content);
    await writeAudit(trx);
    return done;
  });
}

async function findCase(parts: DeskParts, id: string): Promise<ReviewCase> {
  const row = isUuid(id) ? await parts.store.find(id) : undefined;
  if (!row) throw notFound();
  return openCase(parts, row);
}

function openCase({ files }: DeskParts, row: CaseRow): ReviewCase {
  return { row, content: files.openIfWhole(row) };
}

function notFound(): AppError {
  return new AppError('not_found', 'Unknown case; its retention may have ended, or its session or hit was deleted.');
}

function unreadable(): AppError {
  return new AppError('not_found', 'This case was edited in the database and cannot be decrypted.');
}

export type ReviewerCount = 1 | 2;

interface Step {
  /** `proposed` waits for a second reviewer. `objected` means that the second one disagreed, and the case is open again. */
  act: 'proposed' | 'objected' | 'decided';
  content: CaseContent;
}

function judge(
  { kind, state }: CaseRow,
  { proposed, ...rest }: CaseContent,
  eyes: ReviewerCount,
  operatorId: OperatorId,
  opinion: Opinion,
): Step {
  const fitting: readonly Verdict[] = VERDICTS[kind];
  if (!fitting.includes(opinion.verdict)) {
    throw invalid('body.verdict', `must be ${fitting.join(' or ')}: that is how a case of this kind is decided`);
  }
  if (state === 'decided') throw new AppError('case_decided', 'The case is already decided.');
  if (eyes === 2) {
    if (!proposed) return { act: 'proposed', content: { ...rest, proposed: { ...opinion, operatorId } } };
    if (proposed.operatorId === operatorId) {
      throw new AppError('second_pair_needed', 'Another reviewer must confirm your proposal.');
    }
    if (proposed.verdict !== opinion.verdict) return { act: 'objected', content: rest };
  }
  return { act: 'decided', content: { ...rest, decided: opinion } };
}
