// The states of a session and which may follow which.

export type OpenState = 'created' | 'opened' | 'capturing';
export type EndState = 'completed' | 'cancelled' | 'expired';
export type SessionState = OpenState | EndState;

/** All transitions. Test mode and proofs from elsewhere end an open session in one step. */
const NEXT_STATES: Readonly<Record<SessionState, readonly SessionState[]>> = {
  created: ['opened', 'capturing', 'expired'],
  opened: ['capturing', 'cancelled', 'expired'],
  capturing: ['completed', 'cancelled', 'expired'],
  completed: [],
  cancelled: [],
  expired: [],
};

export type FlowStatus = 'COMPLETED' | 'CANCELLED' | 'EXPIRED';

export const END_STATES: Readonly<Record<FlowStatus, EndState>> = {
  COMPLETED: 'completed',
  CANCELLED: 'cancelled',
  EXPIRED: 'expired',
};

export const SESSION_STATES = Object.keys(NEXT_STATES) as readonly SessionState[];

export function statesBefore(to: SessionState): readonly SessionState[] {
  return SESSION_STATES.filter((from) => NEXT_STATES[from].includes(to));
}

export const OPEN_STATES: readonly OpenState[] = SESSION_STATES.filter((state) => isOpen(state));

export function isOpen(state: SessionState): state is OpenState {
  return NEXT_STATES[state].length > 0;
}
