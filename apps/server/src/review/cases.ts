// Opens and closes cases in the transactions that end a session, find a hit or delete either. No case is lost, and none
// outlives its session or subject for longer than allowed.
import type { HitDecision, Review, ReviewDecision, RiskEvaluation } from '@limen/contract';
import { isSameOwner, type Owner, ownerColumns, ownerFrom } from '../platform/api-keys/owner.ts';
import type { PersonId, SessionId, WatchedSubjectId } from '../platform/base/ids.ts';
import type { Core } from '../platform/core.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { CaseContent, CaseEvidence, CaseRow, HitFacts, SessionFacts } from './case.ts';
import type { CaseFiles } from './notes.ts';
import type { ReviewStore } from './store.ts';

const HOUR_MS = 60 * 60_000;

export interface ReviewTimes {
  dueHours: number;
  /** Days until an undecided case of a session is deleted */
  reviewDays: number;
  /** Time until a decided case is deleted */
  retentionMs: number;
}

interface ReviewedSession {
  id: SessionId;
  owner: Owner;
  apiKeyId: string;
  /** Person whose deletion also deletes the case */
  personId: PersonId | undefined;
  /** Digest of an age session's token. Verification sessions are named by their id. */
  tokenLookup: Uint8Array | undefined;
  facts: SessionFacts;
}

/** Name of a session that its host knows: the digest of an age session's token, else the id */
export type SessionReference = { tokenLookup: Uint8Array } | { id: SessionId };

type Subject = Pick<CaseRow, 'customer' | 'world' | 'api_key_id'> & { id: WatchedSubjectId };

export function createReviewCases(
  { clock, ids }: Pick<Core, 'clock' | 'ids'>,
  { store, files }: { store: ReviewStore; files: CaseFiles },
  { dueHours, reviewDays, retentionMs }: ReviewTimes,
) {
  return {
    async openForSession(trx: Transaction, { id, owner, apiKeyId, personId, tokenLookup, facts }: ReviewedSession) {
      const about = { ...ownerColumns(owner), api_key_id: apiKeyId, about: id, person_id: personId ?? null };
      const purge_at = clock.now() + reviewDays * 24 * HOUR_MS;
      const row = newRow({ ...about, kind: 'session', hit_id: null, purge_at });
      await files.add(trx, row, { session: facts }, { act: 'opened' });
      if (tokenLookup) await store.addToken(trx, { token_lookup: tokenLookup, case_id: row.id });
    },

    sessionsWithCase: async (trx: Transaction, sessionIds: readonly SessionId[]) =>
      new Set(await store.listSessionsWithCase(trx, sessionIds)),

    /** Copies into the case how its session went, just before the session is deleted. */
    async keepEvidence(trx: Transaction, sessionId: SessionId, evidence: CaseEvidence) {
      const row = await store.holdOfSession(trx, sessionId);
      const content = row && files.openIfWhole(row);
      if (content) await files.change(trx, row, { ...content, evidence });
    },

    /** Returns the id of an owner's session that has a case, even if the session itself was deleted. */
    async findKept(trx: Transaction, owner: Owner, kept: SessionReference) {
      const row =
        'id' in kept ? await store.findOfSession(kept.id, trx) : await store.findOfToken(trx, kept.tokenLookup);
      if (!row || !isSameOwner(owner, ownerFrom(row))) return undefined;
      // An age session is not named by its id.
      if ('id' in kept && files.openIfWhole(row)?.session?.operation === 'age') return undefined;
      return row.about as SessionId;
    },

    async openForHit(trx: Transaction, subject: Subject, hitId: string, hit: HitFacts) {
      const known = await store.holdOfHit(trx, hitId);
      if (!known) {
        const { id, customer, world, api_key_id } = subject;
        const about = { customer, world, api_key_id, about: id, person_id: null };
        const row = newRow({ ...about, kind: 'hit', hit_id: hitId, purge_at: null });
        return files.add(trx, row, { hit }, { act: 'opened' });
      }
      // A case that was edited in the database is not sealed again, which would hide the edit.
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
      const note = { act: 'decided' as const, by: author, text: reason, verdict: decision };
      await files.change(trx, decidedRow(row, now, retentionMs), content, note);
    },

    /** Deletes the case of a hit that is no longer listed, or no longer matches. */
    async hitGone(trx: Transaction, hitId: string) {
      const row = await store.holdOfHit(trx, hitId);
      if (row) await store.delete(trx, row.id);
    },

    deleteOf: store.deleteOf,

    async reviewOf(sessionId: SessionId) {
      const row = await store.findOfSession(sessionId);
      return row && row.state === 'decided' ? reviewFrom(files.open(row)) : undefined;
    },
  };

  type CaseSubject = 'kind' | 'customer' | 'world' | 'api_key_id' | 'about' | 'hit_id' | 'person_id' | 'purge_at';
  function newRow(about: Pick<CaseRow, CaseSubject>) {
    const now = clock.now();
    const times = { created_at: now, due_at: now + dueHours * HOUR_MS, decided_at: null };
    return { id: ids.sortable(), ...about, ...times, state: 'open' as const, assignee_id: null };
  }
}

export type ReviewCases = ReturnType<typeof createReviewCases>;

export function decidedRow(row: CaseRow, now: number, retentionMs: number): CaseRow {
  return { ...row, state: 'decided', decided_at: now, purge_at: now + retentionMs };
}

export function reviewFrom({ decided }: CaseContent): Review | undefined {
  return decided && { decision: decided.verdict as ReviewDecision, decidedAt: new Date(decided.at).toISOString() };
}

/** Adds the review to the result of a session that ended with REVIEW. */
export async function withReview<Result extends { riskEvaluation?: RiskEvaluation; review?: Review }>(
  cases: Pick<ReviewCases, 'reviewOf'>,
  sessionId: SessionId,
  result: Result,
): Promise<Result> {
  if (result.riskEvaluation?.recommendation !== 'REVIEW') return result;
  const review = await cases.reviewOf(sessionId);
  return review ? { ...result, review } : result;
}
