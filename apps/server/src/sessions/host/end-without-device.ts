// Ends a session that no device brings to its end: by time, or in test mode.
import type { Clock } from '../../platform/base/clock.ts';
import { ConflictError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ChannelClosing } from '../device/close-channel.ts';
import type { Keep } from '../device/flow.ts';
import { untilNotOvertaken } from '../device/retry-on-conflict.ts';
import type { SessionKind } from '../lifecycle/kinds/kinds.ts';
import { isOpen } from '../lifecycle/rules.ts';
import type { Session } from '../lifecycle/session.ts';
import type { Sessions } from '../lifecycle/sessions.ts';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';

/** How an end without a device stands to what devices did before. */
export interface EndCourse {
  /** What the session's devices did; null when nobody opened it. */
  behavior: BehaviorFacts | null;
  /** Ends only what nobody has opened: the caller took it for that and has no behaviour of its devices. */
  unopened?: boolean;
  /** Moves through the states that a device would have brought about first, in the same transaction. */
  asDevice?: boolean;
}

/** A session that has just ended. */
export interface Ended<Kind extends SessionKind, Result> {
  /** As it stands now, without being read again. */
  session: Session<Kind>;
  /** What its host is told. */
  result: Result;
}

/**
 * The one way in which a kind of session ends. Undefined when it had ended already, was deleted or is not `unopened`: then
 * nothing was written and nothing is sent. `keep` writes what belongs to the end in the same transaction; when it throws, the
 * session has not ended.
 */
export type EndSession<Kind extends SessionKind, Ending, Result> = (
  session: Session<Kind>,
  ending: Ending & EndCourse,
  keep?: Keep,
) => Promise<Ended<Kind, Result> | undefined>;

interface EndWithoutDeviceOptions {
  database: Database;
  sessions: Sessions;
  clock: Clock;
  /** What the device channel counted, and how it is closed with the end; null when there is none. */
  closeChannel: (sessionId: SessionId) => Promise<ChannelClosing | null>;
}

/** Undefined when it had ended already. What a device does meanwhile is part of it: then it is read and decided again. */
export function endWithoutDevice<Kind extends SessionKind, Result>(
  { database, sessions, clock, closeChannel }: EndWithoutDeviceOptions,
  session: Session<Kind>,
  asDevice: boolean,
  end: (session: Session<Kind>, course: EndCourse, keep: Keep | undefined) => Promise<Result | undefined>,
): Promise<Result | undefined> {
  let given: Session<Kind> | undefined = session;
  return untilNotOvertaken(database, async () => {
    const current = given ?? (await sessions.findOwn(session.owner, session.kind, session.id));
    given = undefined;
    if (!current || !isOpen(current.state) || (asDevice && current.expiresAt <= clock.now())) return undefined;
    // Nobody has opened a session that is just created, so there is nothing to ask for.
    const unopened = current.state === 'created';
    const closing = unopened ? null : await closeChannel(current.id);
    const course = { behavior: closing?.behavior ?? null, unopened, asDevice };
    const result = await end(current, course, closing?.keep);
    if (!result && unopened) throw new ConflictError();
    return result;
  });
}
