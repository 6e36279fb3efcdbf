// The timeline of a session, in the order of its events.
import type { DeliveryCourse, DeviceCourse, Evidence, TimelineEntry } from '../../review/evidence.ts';
import { SHOWN_EVENTS } from '../host/read-evidence.ts';

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
  if (course) entries.push(...entriesOfCourse(course, requirements));
  if (endedAt !== null) entries.push({ what: 'ended', at: endedAt, detail: state });
  // A webhook that is sent again goes on while later ones are under way.
  const sent = deliveries.flatMap(entriesOf);
  return [...entries, ...sent.sort((one, other) => one.at - other.at)];
}

function entriesOfCourse({ openedAt, handoffs, log }: DeviceCourse, requirements: readonly string[]): TimelineEntry[] {
  const handedOver = Array.from({ length: handoffs }, () => ({ what: 'handed over' as const, at: null, detail: '' }));
  const steps = log.flatMap(([event, index, at]) => {
    const what = SHOWN_EVENTS.find((name) => name === event);
    // The log counts from the plan of the device that holds the session: the first device's plan if nothing was handed over.
    const time = handoffs === 0 ? openedAt + at : null;
    return what ? [{ what, at: time, detail: requirements[index] ?? `step ${index + 1}` }] : [];
  });
  return [{ what: 'opened', at: openedAt, detail: '' }, ...handedOver, ...steps];
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
