// Plays reviewers: most cases are decided within a day.

import { named, type OperatorId, type SessionId } from '../../apps/server/src/platform/base/ids.ts';
import type { CaseActor, Verdict } from '../../apps/server/src/review/case.ts';
import type { ReviewDesk, ReviewerCount } from '../../apps/server/src/review/desk.ts';

const HOUR_MS = 60 * 60_000;
/** Share of cases that are not decided in time. */
const FORGOTTEN = 0.05;
const [SOONEST_HOURS, LATEST_HOURS] = [0.5, 16];
const REVIEWERS: readonly CaseActor[] = ['Rosa (made up)', 'Kenji (made up)'].map((name) => ({
  id: named<OperatorId>(name),
  name,
}));
const REASONS = {
  ALLOW: ['Bright window behind the person. Nothing else stands out.', 'Old laptop camera. The course looks natural.'],
  BLOCK: ['Virtual camera, and the same course twice this week.', 'Spoke with the host: this was a recording.'],
} as const;

interface MadeUpReviewsOptions {
  eyes: ReviewerCount;
  setTime(time: number): void;
  /** Runs due jobs, such as a decision's webhook. */
  work(): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

interface MadeUpReviews {
  /** Draws when the session's case is decided, if it has one. */
  plan(sessionId: SessionId): Promise<void>;
  /** Makes the decisions that are due before a time. */
  decideUntil(time: number): Promise<void>;
}

export function createMadeUpReviews(
  desk: Pick<ReviewDesk, 'findOfSession' | 'decide'>,
  { eyes, setTime, work, random }: MadeUpReviewsOptions,
): MadeUpReviews {
  let planned: { caseId: string; at: number; verdict: Verdict; reason: string }[] = [];
  return {
    async plan(sessionId) {
      const found = await desk.findOfSession(sessionId);
      if (!found || random() < FORGOTTEN) return;
      const isSuspicious = found.content?.session?.flags.includes('CAMERA_VIRTUAL_SOFTWARE') ?? false;
      const verdict = isSuspicious && random() < 0.7 ? 'BLOCK' : 'ALLOW';
      const hours = SOONEST_HOURS + random() * (LATEST_HOURS - SOONEST_HOURS);
      const reason = REASONS[verdict][random() < 0.5 ? 0 : 1];
      planned.push({ caseId: found.row.id, at: found.row.created_at + Math.round(hours * HOUR_MS), verdict, reason });
    },

    async decideUntil(time) {
      const due = planned.filter(({ at }) => at < time).sort((a, b) => a.at - b.at);
      planned = planned.filter(({ at }) => at >= time);
      for (const { caseId, at, verdict, reason } of due) {
        setTime(at);
        for (const reviewer of REVIEWERS.slice(0, eyes)) {
          await desk.decide(caseId, reviewer, { verdict, reason }, async () => {});
        }
        await work();
      }
    },
  };
}
