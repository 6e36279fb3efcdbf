// The timeline of a session, in the order of its events.
import type { DeliveryCourse, Evidence, TimelineEntry } from '../../core/review/evidence.ts';
import { SHOWN_EVENTS } from '../../core/session-service/read-evidence.ts';

interface TimedSession {
  createdAt: number;
  endedAt: number | null;
  state: string;
  requirements: readonly string[];
}

/** Steps of which only a device's clock knows the time stand in the order of its log. */
export function timelineOf(
  { createdAt, endedAt, state, requirements }: TimedSession,
  { course, deliveries }: Evidence,
): TimelineEntry[] {
  const entries: TimelineEntry[] = [{ what: 'created', at: createdAt, detail: '' }];
  const { openedAt, handoffs, log } = course ?? { openedAt: null, handoffs: 0, log: [] };
  if (course) entries.push({ what: 'opened', at: openedAt, detail: '' });
  for (let nth = 0; nth < handoffs; nth += 1) entries.push({ what: 'handed over', at: null, detail: '' });
  for (const [event, index, at] of log) {
    const what = SHOWN_EVENTS.find((name) => name === event);
    if (!what) continue;
    // Counted from the plan of the device that holds the session, which is the first one's unless it was handed over.
    const isCounted = openedAt !== null && handoffs === 0;
    entries.push({ what, at: isCounted ? openedAt + at : null, detail: requirements[index] ?? `step ${index + 1}` });
  }
  if (endedAt !== null) entries.push({ what: 'ended', at: endedAt, detail: state });
  // A webhook that is sent again goes on while later ones are under way.
  const sent = deliveries.flatMap(entriesOf);
  return [...entries, ...sent.sort((one, other) => one.at - other.at)];
}

function entriesOf({ created_at, ended_at, target, state, tries }: DeliveryCourse): (TimelineEntry & { at: number })[] {
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
