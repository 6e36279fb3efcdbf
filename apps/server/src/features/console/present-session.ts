// A session as operators see it: what happened and why, and nothing personal until it is asked for.
import type { ChannelState } from '../../core/device-channel/channel-state.ts';
import type { FoundCase } from '../../core/review/review-desk.ts';
import { explainFlags } from '../../core/risk/explain-flags.ts';
import { outcomeName } from '../../core/sessions/marks.ts';
import { type AnySession, isOfKind } from '../../core/sessions/session.ts';
import type { BrowsedSession } from '../../core/sessions/sessions.ts';
import type { KeyNames } from './present-key.ts';
import type { DeliveryView, RevealedView, SessionRowView, SessionView, TimelineEntry } from './views.ts';

/** Events of a device's log that a person understands. */
const TOLD = ['started', 'finished', 'retried'] as const;

export function presentRow(row: BrowsedSession, names: KeyNames): SessionRowView {
  return rowOf(row, names, openIfWhole(row));
}

export function presentSession(
  row: BrowsedSession,
  names: KeyNames,
  channel: ChannelState | undefined,
  deliveries: DeliveryView[],
  found: FoundCase | undefined,
): SessionView {
  const session = openIfWhole(row);
  const requirements = session ? requirementsOf(session) : [];
  const shown = rowOf(row, names, session);
  return {
    ...shown,
    expiresAt: row.expires_at,
    purgeAt: row.purge_at,
    requirements,
    ...proofsOf(session),
    errors: (session?.outcome?.errors ?? []).map(({ code, message }) => ({ code, message })),
    explanations: explainFlags(shown.risk?.flags ?? []),
    timeline: timelineOf(row, requirements, channel, deliveries),
    deliveries,
    review: found
      ? { caseId: found.row.id, state: found.row.state, verdict: found.content?.decided?.verdict ?? null }
      : null,
  };
}

/** Never a token, an address of a callback or a header: those are secrets of the host. */
export function reveal(session: AnySession): RevealedView {
  const { contents } = session;
  const metadata = 'metadata' in contents ? contents.metadata : undefined;
  return {
    metadata: metadata === undefined || typeof metadata === 'string' ? (metadata ?? null) : JSON.stringify(metadata),
    transactionId: ('transactionId' in contents && contents.transactionId) || null,
    userId: ('userId' in contents && contents.userId) || null,
    redirectUrl: contents.redirectUrl ?? null,
    locale: contents.locale,
    result: session.outcome ? withoutKnown(session.outcome) : null,
  };
}

/** What is shown already, and what nobody is told. */
function withoutKnown(outcome: NonNullable<AnySession['outcome']>): object {
  const { riskEvaluation: _, ...result } = outcome;
  return 'trustable' in result ? { ...result, trustable: undefined } : result;
}

function rowOf(row: BrowsedSession, names: KeyNames, session: AnySession | undefined): SessionRowView {
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
    operation: session && isOfKind(session, 'verification') ? session.contents.type : null,
    outcome: session?.outcome ? outcomeName(session.outcome) : null,
    risk: risk
      ? { score: risk.score, level: risk.level, recommendation: risk.recommendation, flags: risk.flags }
      : null,
    isUnreadable: session === undefined,
  };
}

function openIfWhole(row: BrowsedSession): AnySession | undefined {
  try {
    return row.open();
  } catch {
    return undefined;
  }
}

function requirementsOf(session: AnySession): string[] {
  return [...(isOfKind(session, 'age') ? session.contents.settings.requirements : session.contents.requirements)];
}

function proofsOf(session: AnySession | undefined): Pick<SessionView, 'acceptedProofs' | 'source'> {
  if (!session || !isOfKind(session, 'age')) return { acceptedProofs: [], source: null };
  const { contents, outcome } = session;
  return { acceptedProofs: [...(contents.settings.proofs?.accepted ?? [])], source: outcome?.result?.source ?? null };
}

/** In the order in which it happened; what only a device's clock knows stands where it belongs. */
function timelineOf(
  row: BrowsedSession,
  requirements: readonly string[],
  channel: ChannelState | undefined,
  deliveries: readonly DeliveryView[],
): TimelineEntry[] {
  const entries: TimelineEntry[] = [{ what: 'created', at: row.created_at, detail: '' }];
  const openedAt = channel?.openedAt ?? null;
  if (channel) entries.push({ what: 'opened', at: openedAt, detail: '' });
  const handoffs = channel?.handoffMs.length ?? 0;
  for (let nth = 0; nth < handoffs; nth += 1) entries.push({ what: 'handed over', at: null, detail: '' });
  for (const [event, index, at] of channel?.log ?? []) {
    const what = TOLD.find((told) => told === event);
    if (!what) continue;
    // Counted from the plan of the device that holds the session, which is the first one's unless it was handed over.
    const isCounted = openedAt !== null && handoffs === 0;
    entries.push({ what, at: isCounted ? openedAt + at : null, detail: requirements[index] ?? `step ${index + 1}` });
  }
  if (row.ended_at !== null) entries.push({ what: 'ended', at: row.ended_at, detail: row.state });
  // One that is sent again goes on while later ones are under way.
  const told = deliveries.toReversed().flatMap(courseOf);
  return [...entries, ...told.sort((one, other) => one.at - other.at)];
}

function courseOf({ createdAt, endedAt, url, state, tries }: DeliveryView): (TimelineEntry & { at: number })[] {
  const told = tries.map(({ at, outcome }) => {
    const isTaken = typeof outcome === 'number' && outcome >= 200 && outcome < 300;
    return { what: isTaken ? ('delivered' as const) : ('tried' as const), at, detail: url, outcome };
  });
  return [
    { what: 'webhook', at: Date.parse(createdAt), detail: url },
    ...told,
    ...(state === 'dead' && endedAt !== undefined
      ? [{ what: 'dead' as const, at: Date.parse(endedAt), detail: url }]
      : []),
  ];
}
