// The states of a session and which may follow which.

export type OpenState = 'created' | 'opened' | 'capturing';
export type EndState = 'completed' | 'cancelled' | 'expired';
export type SessionState = OpenState | EndState;

/**
 * The one table of transitions. A claim opens a session, and may start its capture at once. Only a session that captured
 * something can be completed; one that nobody opened can only expire. An end has no way out, so whoever ends a session
 * first has ended it. Test mode, and a proof from elsewhere, end one in a single step, for all those that a device takes.
 */
const NEXT_STATES: Readonly<Record<SessionState, readonly SessionState[]>> = {
  created: ['opened', 'capturing', 'expired'],
  opened: ['capturing', 'cancelled', 'expired'],
  capturing: ['completed', 'cancelled', 'expired'],
  completed: [],
  cancelled: [],
  expired: [],
};

/** How a host is told that a session has ended. */
export type FlowStatus = 'COMPLETED' | 'CANCELLED' | 'EXPIRED';

export const END_STATES: Readonly<Record<FlowStatus, EndState>> = {
  COMPLETED: 'completed',
  CANCELLED: 'cancelled',
  EXPIRED: 'expired',
};

export const SESSION_STATES = Object.keys(NEXT_STATES) as readonly SessionState[];

/** The states from which `to` can be reached in one step; what an update names in its `where`. */
export function statesBefore(to: SessionState): readonly SessionState[] {
  return SESSION_STATES.filter((from) => NEXT_STATES[from].includes(to));
}

export const OPEN_STATES: readonly OpenState[] = SESSION_STATES.filter((state) => isOpen(state));

export function isOpen(state: SessionState): state is OpenState {
  return NEXT_STATES[state].length > 0;
}
