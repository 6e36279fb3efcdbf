// Presents sessions to operators: what happened and why, without personal values until they are revealed.
import type { WebhookDelivery } from '@limen/contract';
import type { KeyNames } from '../../console/door/key-names.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { CaseEvidence, DeliveryCourse, DeviceCourse, TimelineEntry } from '../../review/case.ts';
import type { DescribeCase } from '../../review/console/present.ts';
import type { ReviewCase } from '../../review/desk.ts';
import { createReadEvidence, SHOWN_EVENTS } from '../host/read-evidence.ts';
import { outcomeName } from '../lifecycle/marks.ts';
import { listRequirements } from '../lifecycle/review-facts.ts';
import { type AnySession, isOfKind } from '../lifecycle/session.ts';
import type { Sessions, StoredSession } from '../lifecycle/sessions.ts';
import { explainFlags } from '../risk/explain-flags.ts';

export type SessionRowView = ReturnType<typeof presentRow>;
export type SessionView = ReturnType<typeof presentSession>;
export type RevealedSession = ReturnType<typeof reveal>;

export interface DeliveryView extends WebhookDelivery {
  tries: { at: number; outcome: number | string }[];
}

export function presentSession(
  row: StoredSession,
  names: KeyNames,
  evidence: CaseEvidence,
  deliveries: DeliveryView[],
  found: ReviewCase | undefined,
) {
  const session = openIfWhole(row);
  const requirements = session ? listRequirements(session) : [];
  const shown = presentRow(row, names, session);
  return {
    ...shown,
    expiresAt: row.expires_at,
    purgeAt: row.purge_at,
    requirements,
    ...presentProofs(session),
    errors: (session?.outcome?.errors ?? []).map(({ code, message }) => ({ code, message })),
    explanations: explainFlags(shown.risk?.flags ?? []),
    timeline: buildTimeline({ ...shown, requirements }, evidence),
    deliveries,
    review: found
      ? { caseId: found.row.id, state: found.row.state, verdict: found.content?.decided?.verdict ?? null }
      : null,
  };
}

/** Reveals personal values, but never tokens, callback addresses or headers, which are secrets of the host. */
export function reveal(session: AnySession) {
  const { contents } = session;
  const metadata = 'metadata' in contents ? contents.metadata : undefined;
  return {
    metadata: metadata === undefined || typeof metadata === 'string' ? (metadata ?? null) : JSON.stringify(metadata),
    transactionId: ('transactionId' in contents && contents.transactionId) || null,
    userId: ('userId' in contents && contents.userId) || null,
    redirectUrl: contents.redirectUrl ?? null,
    locale: contents.locale,
    /** Outcome as the host receives it, without the risk that is shown already */
    result: session.outcome ? { ...session.outcome, riskEvaluation: undefined, trustable: undefined } : null,
  };
}

export function presentRow(row: StoredSession, names: KeyNames, session: AnySession | undefined) {
  const risk = session?.outcome?.riskEvaluation;
  return {
    id: row.id,
    kind: row.kind,
    world: row.world,
    customer: names.customerOf(row.customer),
    key: { id: row.api_key_id, label: names.labelOf(row.api_key_id) },
    state: row.state,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    /** ENROLL, SIGN-IN or VERIFY; null for age sessions */
    operation: session && isOfKind(session, 'verification') ? session.contents.type : null,
    /** Outcome as the host receives it; null until the session ends */
    outcome: session?.outcome ? outcomeName(session.outcome) : null,
    risk: risk
      ? { score: risk.score, level: risk.level, recommendation: risk.recommendation, flags: risk.flags }
      : null,
    isUnreadable: session === undefined,
  };
}

export function openIfWhole(row: StoredSession): AnySession | undefined {
  try {
    return row.open();
  } catch {
    return undefined;
  }
}

/** `source`: basis of the decision, such as `wallet`; null if the session accepts no proofs or has not ended. */
function presentProofs(session: AnySession | undefined) {
  if (!session || !isOfKind(session, 'age')) return { acceptedProofs: [], source: null };
  const { contents, outcome } = session;
  return { acceptedProofs: [...(contents.settings.proofs?.accepted ?? [])], source: outcome?.result?.source ?? null };
}

/** Steps whose time only the device knows stay in the order of its log. */
function buildTimeline(
  session: Pick<SessionRowView, 'createdAt' | 'endedAt' | 'state'> & { requirements: readonly string[] },
  { course, deliveries }: CaseEvidence,
): TimelineEntry[] {
  const { createdAt, endedAt, state, requirements } = session;
  const entries: TimelineEntry[] = [{ what: 'created', at: createdAt, detail: '' }];
  if (course) entries.push(...entriesOfCourse(course, requirements));
  if (endedAt !== null) entries.push({ what: 'ended', at: endedAt, detail: state });
  const sent = deliveries.flatMap(listDeliveryEntries);
  return [...entries, ...sent.sort((a, b) => a.at - b.at)];
}

function entriesOfCourse({ openedAt, handoffs, log }: DeviceCourse, requirements: readonly string[]): TimelineEntry[] {
  const handedOver = Array.from({ length: handoffs }, () => ({ what: 'handed over' as const, at: null, detail: '' }));
  const steps = log.flatMap(([event, index, at]) => {
    const what = SHOWN_EVENTS.find((name) => name === event);
    // The log counts from the plan of the last device, the first only without a handoff.
    const time = handoffs === 0 ? openedAt + at : null;
    return what ? [{ what, at: time, detail: requirements[index] ?? `step ${index + 1}` }] : [];
  });
  return [{ what: 'opened', at: openedAt, detail: '' }, ...handedOver, ...steps];
}

function listDeliveryEntries({
  created_at,
  ended_at,
  target,
  state,
  tries,
}: DeliveryCourse): (TimelineEntry & { at: number })[] {
  const tried = tries.map(({ at, outcome }) => {
    const isTaken = typeof outcome === 'number' && outcome >= 200 && outcome < 300;
    return { what: isTaken ? ('delivered' as const) : ('tried' as const), at, detail: target, outcome };
  });
  return [
    { what: 'webhook', at: created_at, detail: target },
    ...tried,
    ...(state === 'dead' && ended_at !== null ? [{ what: 'dead' as const, at: ended_at, detail: target }] : []),
  ];
}

export function createDescribeSession(
  { database, sealer }: Pick<Context, 'database' | 'sealer'>,
  sessions: Pick<Sessions, 'look'>,
): DescribeCase {
  const readEvidence = createReadEvidence(database, sealer);
  return async ({ row, content }) => {
    const sessionId = row.about as SessionId;
    const [session, current] = await Promise.all([sessions.look(sessionId), readEvidence(sessionId)]);
    const facts = content?.session;
    const explanations = explainFlags(facts?.flags ?? []);
    if (!facts) return { explanations, evidence: null, hasSession: session !== undefined };
    const { signals, requirements, errors } = facts;
    // Only completed sessions have a case.
    const timeline = buildTimeline({ ...facts, state: 'completed' }, mergeEvidence(content?.evidence, current));
    return { explanations, evidence: { signals, requirements, errors, timeline }, hasSession: session !== undefined };
  };
}

/** Merges the evidence of the session's own tables with that of the case, kept once those rows are deleted. */
function mergeEvidence(kept: CaseEvidence | undefined, current: CaseEvidence): CaseEvidence {
  if (!kept) return current;
  // The delivery log goes on after the session, with the webhook of the decision and repeated ones.
  const known = new Set(current.deliveries.map(({ id }) => id));
  const older = kept.deliveries.filter(({ id }) => !known.has(id));
  return { course: kept.course, deliveries: [...older, ...current.deliveries] };
}
