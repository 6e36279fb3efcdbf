// The evidence for one subject: all that is known and was found, with every change and every decision.
import type { SubjectEvidence } from '@limen/contract';
import type { Watched, WatchedSubjects } from '../../core/watching/watched-subjects.ts';
import { SERVICE, VERSION } from '../../platform/version.ts';
import { presentHistory, presentHit, presentSubject } from './present-watched.ts';

/** Rows of the history that evidence shows: of a subject with more, somebody should look at the threshold. */
const HISTORY_MAX = 10_000;

export async function collectEvidence(
  watched: Pick<WatchedSubjects, 'hits' | 'history'>,
  subject: Watched,
  now: number,
): Promise<SubjectEvidence> {
  const hits = await watched.hits(subject);
  const history = await watched.history(subject, HISTORY_MAX + 1);
  return {
    subject: presentSubject(subject),
    hits: hits.map(presentHit),
    history: history.slice(0, HISTORY_MAX).reverse().map(presentHistory),
    isWhole: history.length <= HISTORY_MAX,
    writtenAt: new Date(now).toISOString(),
    service: `${SERVICE} ${VERSION}`,
  };
}
