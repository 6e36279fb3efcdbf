// Describes the case of a session: its flags, how it went, and whether it still exists.

import type { SessionId } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { CaseEvidence, SessionFacts } from '../../review/case.ts';
import type { DescribeCase } from '../../review/console/present.ts';
import type { EvidenceView } from '../../review/console/views.ts';
import { createReadEvidence } from '../host/read-evidence.ts';
import type { Sessions } from '../lifecycle/sessions.ts';
import { explainFlags } from '../risk/explain-flags.ts';
import { timelineOf } from './present.ts';

export function createDescribeSession(
  { database, sealer }: Pick<Context, 'database' | 'sealer'>,
  sessions: Pick<Sessions, 'look'>,
): DescribeCase {
  const readEvidence = createReadEvidence(database, sealer);
  return async ({ row, content }) => {
    const sessionId = row.about as SessionId;
    const [session, current] = await Promise.all([sessions.look(sessionId), readEvidence(sessionId)]);
    const facts = content?.session;
    return {
      explanations: explainFlags(facts?.flags ?? []),
      evidence: facts ? presentEvidence(facts, merge(content?.evidence, current)) : null,
      hasSession: session !== undefined,
    };
  };
}

/** Evidence is read from the session's own tables, and from the case once those rows are deleted. */
function merge(kept: CaseEvidence | undefined, current: CaseEvidence): CaseEvidence {
  if (!kept) return current;
  // The delivery log continues after the session: with the webhook of the decision, and with webhooks that are sent again.
  const known = new Set(current.deliveries.map(({ id }) => id));
  const older = kept.deliveries.filter(({ id }) => !known.has(id));
  return { course: kept.course, deliveries: [...older, ...current.deliveries] };
}

/** Only completed sessions have a case. */
function presentEvidence(facts: SessionFacts, evidence: CaseEvidence): EvidenceView {
  const { signals, requirements, errors } = facts;
  return { signals, requirements, errors, timeline: timelineOf({ ...facts, state: 'completed' }, evidence) };
}
