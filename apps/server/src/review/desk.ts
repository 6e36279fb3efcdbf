// What reviewers do with cases: find them, take them, talk about them, decide them.
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

/** Opened one by one, so that one unreadable row spoils no list. */
export interface FoundCase {
  row: CaseRow;
  /** Undefined where the row was edited in the database. */
  content: CaseContent | undefined;
}

interface Judgement {
  verdict: Verdict;
  reason: string;
  /** Of the hit that was looked at; a case about a session has none. */
  entryHash?: string | undefined;
}

/** The part of watching that a decision on a hit belongs to. */
export interface HitDecisions {
  /** `mayBe` is asked in the transaction that decides, and prevents it by failing. */
  decide(
    owner: Owner,
    subjectId: string,
    hitId: string,
    request: DecideHitRequest,
    mayBe: (trx: Transaction) => Promise<void>,
  ): Promise<unknown>;
}

interface DeskParts extends Pick<Core, 'database' | 'clock'> {
  store: ReviewStore;
  files: CaseFiles;
  webhooks: Pick<Webhooks, 'enqueue'>;
  /** Undefined where nothing is watched here. */
  watched: HitDecisions | undefined;
  eyes: PairsOfEyes;
  retentionMs: number;
}

/** Between the look at a case and its decision, so that something else follows from what is said of it. */
class SpokenMeanwhile extends Error {}

export function createReviewDesk(parts: DeskParts) {
  const { store, files, clock, eyes } = parts;
  const opened = (row: CaseRow) => openCase(parts, row);

  const desk = {
    eyes,
    search: async (filter: CaseFilter) => (await store.list(filter)).map(opened),
    /** Each no further than `upTo`. */
    count: (upTo: number) => store.count(clock.now(), upTo),

    find: (id: string) => findCase(parts, id),
    async findOfSession(id: SessionId) {
      const row = await store.findOfSession(id);
      return row && opened(row);
    },
    history: files.history,

    /**
     * Assigns a case, or releases it if `assignee` is null. Here and below, `noted` goes on record
     * in the transaction of the change.
     */
    assign: (id: string, assignee: CaseActor | null, by: CaseActor, noted: InTransaction) =>
      workOnCase(parts, id, noted, async (trx, row, content) => {
        if (row.state === 'decided') throw new AppError('case_decided', 'The case has been decided already.');
        const note: NoteContent = assignee
          ? { act: 'assigned', by: by.name, ...(assignee.id !== by.id && { text: assignee.name }) }
          : { act: 'released', by: by.name };
        return { row: await files.change(trx, { ...row, assignee_id: assignee?.id ?? null }, content, note), content };
      }),

    async comment(id: string, by: CaseActor, text: string, noted: InTransaction) {
      await workOnCase(parts, id, noted, async (trx, row, content) => {
        await files.note(trx, row.id, { act: 'comment', by: by.name, text });
        return { row, content };
      });
    },

    async decide(id: string, by: CaseActor, judgement: Judgement, noted: InTransaction) {
      for (;;) {
        try {
          return await decideOnce(parts, id, by, judgement, noted);
        } catch (error) {
          if (!(error instanceof SpokenMeanwhile)) throw error;
          // What the other has written is seen by a look once it is on the disk.
          await nextTurn();
        }
      }
    },

    /** Decides the case that is about this hit. */
    async decideHit(subjectId: string, hitId: string, by: CaseActor, judgement: Judgement, noted: InTransaction) {
      const row = isUuid(hitId) ? await store.findOfHit(hitId) : undefined;
      // Whatever waits has a case; those of decisions long ago are deleted.
      if (row?.about !== subjectId) {
        throw new AppError(
          'not_found',
          'Nothing waits to be decided on such a hit: it is gone from the list, or was decided long ago. Withdraw what stands first.',
        );
      }
      return desk.decide(row.id, by, judgement, noted);
    },
  };
  return desk;
}

async function decideOnce(
  parts: DeskParts,
  id: string,
  by: CaseActor,
  judgement: Judgement,
  noted: InTransaction,
): Promise<FoundCase> {
  const { files, clock, eyes, retentionMs } = parts;
  const { verdict, reason } = judgement;
  const { row: looked, content: before } = await findCase(parts, id);
  if (!before) throw unreadable();
  const opinion: Opinion = { verdict, reason, by: by.name, at: clock.now() };
  const judgeCase = (row: CaseRow, content: CaseContent) => judge(row, content, eyes, by.id, opinion);
  if (looked.kind === 'hit' && judgeCase(looked, before).act === 'decided') {
    await closeHit(parts, looked, by, judgement, judgeCase, noted);
    return findCase(parts, id);
  }
  return workOnCase(parts, id, noted, async (trx, row, content) => {
    // Judged on the row that is held: of two at once, the second meets what the first has made of it.
    const held = judgeCase(row, content);
    const note = { act: held.act, by: by.name, text: reason, verdict };
    if (held.act !== 'decided') {
      const state = held.act === 'proposed' ? ('proposed' as const) : ('open' as const);
      return { row: await files.change(trx, { ...row, state }, held.content, note), content: held.content };
    }
    if (row.kind === 'hit') throw new SpokenMeanwhile();
    const decided = await files.change(trx, decidedRow(row, clock.now(), retentionMs), held.content, note);
    await enqueueReview(parts, trx, decided, held.content);
    return { row: decided, content: held.content };
  });
}

/** In the transaction of the hit, which closes the case: whoever decides at the same moment is either before or after. */
async function closeHit(
  { store, files, watched }: DeskParts,
  { hit_id, about, ...row }: CaseRow,
  by: CaseActor,
  { verdict, reason, entryHash }: Judgement,
  judgeCase: (row: CaseRow, content: CaseContent) => Step,
  noted: InTransaction,
): Promise<void> {
  if (!watched || hit_id === null) throw new AppError('not_found', 'Hits are not decided by this process.');
  const request = { decision: verdict, reason, author: by.name, entryHash } as DecideHitRequest;
  await watched.decide(ownerFrom(row), about, hit_id, request, async (trx) => {
    const held = await store.holdOfHit(trx, hit_id);
    if (!held) throw notFound();
    const content = files.openIfWhole(held);
    if (!content) throw unreadable();
    if (judgeCase(held, content).act !== 'decided') throw new SpokenMeanwhile();
    await noted(trx);
  });
}

async function enqueueReview(
  { webhooks }: DeskParts,
  trx: Transaction,
  row: CaseRow,
  content: CaseContent,
): Promise<void> {
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
  noted: InTransaction,
  act: (trx: Transaction, row: CaseRow, content: CaseContent) => Promise<FoundCase>,
): Promise<FoundCase> {
  return database.transact(async (trx) => {
    const row = isUuid(id) ? await store.hold(trx, id) : undefined;
    if (!row) throw notFound();
    const content = files.openIfWhole(row);
    if (!content) throw unreadable();
    const done = await act(trx, row, content);
    await noted(trx);
    return done;
  });
}

async function findCase(parts: DeskParts, id: string): Promise<FoundCase> {
  const row = isUuid(id) ? await parts.store.find(id) : undefined;
  if (!row) throw notFound();
  return openCase(parts, row);
}

function openCase({ files }: DeskParts, row: CaseRow): FoundCase {
  return { row, content: files.openIfWhole(row) };
}

export type ReviewDesk = ReturnType<typeof createReviewDesk>;

function notFound(): AppError {
  return new AppError('not_found', 'There is no such case; its time may be over, or what it was about was deleted.');
}

function unreadable(): AppError {
  return new AppError('not_found', 'This case was edited in the database and does not open.');
}

/** How many people must agree. */
export type PairsOfEyes = 1 | 2;

interface Step {
  /** `proposed`: it waits for a second pair of eyes. `objected`: the second pair saw it differently, and it is open for both. */
  act: 'proposed' | 'objected' | 'decided';
  content: CaseContent;
}

function judge(
  { kind, state }: CaseRow,
  { proposed, ...rest }: CaseContent,
  eyes: PairsOfEyes,
  operatorId: OperatorId,
  opinion: Opinion,
): Step {
  const fitting: readonly Verdict[] = VERDICTS[kind];
  if (!fitting.includes(opinion.verdict)) {
    throw invalid('body.verdict', `must be ${fitting.join(' or ')}: that is how a case of this kind is decided`);
  }
  if (state === 'decided') throw new AppError('case_decided', 'The case has been decided already.');
  if (eyes === 2) {
    if (!proposed) return { act: 'proposed', content: { ...rest, proposed: { ...opinion, operatorId } } };
    if (proposed.operatorId === operatorId) {
      throw new AppError('second_pair_needed', 'Somebody else has to confirm what you proposed.');
    }
    if (proposed.verdict !== opinion.verdict) return { act: 'objected', content: rest };
  }
  return { act: 'decided', content: { ...rest, decided: opinion } };
}
