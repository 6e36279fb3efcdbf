// How cases come about and go with what they are about: part of the transactions that end a session, find a hit or delete
// either, so that none is lost and none outlives what it may not.
import type { HitDecision, Review, ReviewDecision, RiskEvaluation } from '@limen/contract';
import { columnsOf, isSameOwner, type Owner, ownerFrom } from '../platform/api-keys/owner.ts';
import type { PersonId, SessionId, WatchedSubjectId } from '../platform/base/ids.ts';
import type { Core } from '../platform/core.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { CaseContent, CaseEvidence, CaseRow, HitFacts, SessionFacts } from './case.ts';
import type { CaseFiles } from './notes.ts';
import type { ReviewStore } from './store.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

export interface ReviewTimes {
  /** Within which somebody shall decide. */
  dueHours: number;
  /** How long a session's case waits at most. */
  reviewDays: number;
  /** How long a decided one is kept. */
  retentionMs: number;
}

/** A session whose end leaves something to decide. */
interface ReviewedSession {
  id: SessionId;
  owner: Owner;
  apiKeyId: string;
  /** The person whose deletion also deletes the case. */
  personId: PersonId | undefined;
  /** Digest of an age session's token. Verification sessions are named by their id. */
  tokenLookup: Uint8Array | undefined;
  facts: SessionFacts;
}

/** Name of a session, as its host has it: the digest of an age session's token, else the id. */
export type KeptSession = { tokenLookup: Uint8Array } | { id: SessionId };

/** A watched subject, as far as its cases name it. */
type Subject = Pick<CaseRow, 'customer' | 'world' | 'api_key_id'> & { id: WatchedSubjectId };

export function createReviewCases(
  { clock, ids }: Pick<Core, 'clock' | 'ids'>,
  { store, files }: { store: ReviewStore; files: CaseFiles },
  { dueHours, reviewDays, retentionMs }: ReviewTimes,
) {
  return {
    async openForSession(trx: Transaction, { id, owner, apiKeyId, personId, tokenLookup, facts }: ReviewedSession) {
      const row = newRow({ ...columnsOf(owner), api_key_id: apiKeyId, about: id });
      const kept = {
        ...row,
        kind: 'session' as const,
        person_id: personId ?? null,
        purge_at: row.created_at + reviewDays * DAY_MS,
      };
      await files.add(trx, kept, { session: facts }, { act: 'opened' });
      if (tokenLookup) await store.addToken(trx, { token_lookup: tokenLookup, case_id: row.id });
    },

    /** Which of these sessions have a case. */
    sessionsWithCase: async (trx: Transaction, sessionIds: readonly SessionId[]) =>
      new Set(await store.listSessionsWithCase(trx, sessionIds)),

    /** Copies into the case how its session went, just before the session is deleted. */
    async keepEvidence(trx: Transaction, sessionId: SessionId, evidence: CaseEvidence) {
      const row = await store.holdOfSession(trx, sessionId);
      const content = row && files.openIfWhole(row);
      if (content) await files.change(trx, row, { ...content, evidence });
    },

    /** Returns the id of an owner's session that has a case, whether the session itself is still there or not. */
    async findKept(trx: Transaction, owner: Owner, kept: KeptSession) {
      const row =
        'id' in kept ? await store.findOfSession(kept.id, trx) : await store.findOfToken(trx, kept.tokenLookup);
      if (!row || !isSameOwner(owner, ownerFrom(row))) return undefined;
      // An age session is not named by its id.
      if ('id' in kept && files.openIfWhole(row)?.session?.operation === 'age') return undefined;
      return row.about as SessionId;
    },

    /** Opens the case of a hit that is new or has changed since its decision. */
    async openForHit(trx: Transaction, subject: Subject, hitId: string, hit: HitFacts) {
      const known = await store.holdOfHit(trx, hitId);
      if (!known) {
        const { id, customer, world, api_key_id } = subject;
        const row = { ...newRow({ customer, world, api_key_id, about: id }), kind: 'hit' as const, hit_id: hitId };
        return files.add(trx, row, { hit }, { act: 'opened' });
      }
      // A case that was edited in the database stays as it is: sealed again, the edit would no longer show.
      if (!files.openIfWhole(known)) return;
      if (known.state === 'open') return void (await files.change(trx, known, { hit }));
      const due_at = clock.now() + dueHours * HOUR_MS;
      const row: CaseRow = { ...known, state: 'open', due_at, decided_at: null, purge_at: null };
      await files.change(trx, row, { hit }, { act: 'reopened' });
    },

    /** Records the decision of an operator, or of the host over the API. */
    async hitDecided(trx: Transaction, hitId: string, hit: HitFacts, { decision, reason, author }: HitDecision) {
      const row = await store.holdOfHit(trx, hitId);
      if (!row || !files.openIfWhole(row)) return;
      const now = clock.now();
      const content: CaseContent = { hit, decided: { verdict: decision, reason, by: author, at: now } };
      await files.change(trx, decidedRow(row, now, retentionMs), content, {
        act: 'decided',
        by: author,
        text: reason,
        verdict: decision,
      });
    },

    /** It is not listed any more, or does not match. */
    async hitGone(trx: Transaction, hitId: string) {
      const row = await store.holdOfHit(trx, hitId);
      if (row) await store.delete(trx, row.id);
    },

    deleteOf: store.deleteOf,

    /** Returns the review that the host receives; undefined before the decision. */
    async reviewOf(sessionId: SessionId) {
      const row = await store.findOfSession(sessionId);
      return row && row.state === 'decided' ? reviewFrom(files.open(row)) : undefined;
    },
  };

  function newRow(about: Pick<CaseRow, 'customer' | 'world' | 'api_key_id' | 'about'>) {
    const now = clock.now();
    return {
      id: ids.sortable(),
      ...about,
      hit_id: null,
      person_id: null,
      state: 'open' as const,
      assignee_id: null,
      created_at: now,
      due_at: now + dueHours * HOUR_MS,
      decided_at: null,
      purge_at: null,
    };
  }
}

export type ReviewCases = ReturnType<typeof createReviewCases>;

export function decidedRow(row: CaseRow, now: number, retentionMs: number): CaseRow {
  return { ...row, state: 'decided', decided_at: now, purge_at: now + retentionMs };
}

/** Of a session's case that is decided. */
export function reviewFrom({ decided }: CaseContent): Review | undefined {
  return decided && { decision: decided.verdict as ReviewDecision, decidedAt: new Date(decided.at).toISOString() };
}

/** Only what ended with REVIEW can have been decided; nothing else is asked for. */
export async function withReview<Result extends { riskEvaluation?: RiskEvaluation; review?: Review }>(
  cases: Pick<ReviewCases, 'reviewOf'>,
  sessionId: SessionId,
  result: Result,
): Promise<Result> {
  if (result.riskEvaluation?.recommendation !== 'REVIEW') return result;
  const review = await cases.reviewOf(sessionId);
  return review ? { ...result, review } : result;
}
