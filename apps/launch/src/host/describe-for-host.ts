// What a host is told of a screen: where the person is, and that it is over. Never what was found.
import type { LimenCheckStep } from '@limen/sdk/element';
import type { EndKind, Screen } from '../course/screens.ts';

/**
 * Undefined where there is nothing to tell: what went wrong, and that something has to be shown again, would say how the check
 * comes out. For the same reason there is one step for all that is shown to the camera or typed.
 */
const STEPS: Record<Screen['name'], LimenCheckStep | undefined> = {
  opening: undefined,
  welcome: 'welcome',
  permission: 'camera',
  loading: undefined,
  capture: 'check',
  working: undefined,
  problem: undefined,
  handoff: 'phone',
  wallet_link: 'wallet',
  take_over: 'phone',
  return_code: 'phone',
  stopped: undefined,
  document: 'check',
  document_hold: 'check',
  document_capture: 'check',
  document_problem: undefined,
  not_recognized: undefined,
  wait: undefined,
  passkey: 'check',
  contact: 'check',
  my_age_key: undefined,
  end: undefined,
};

const GIVEN_UP: ReadonlySet<EndKind> = new Set(['cancelled', 'cancelled_enrolment', 'cancelled_sign_in'] as const);

export function stepOf({ name }: Screen): LimenCheckStep | undefined {
  return STEPS[name];
}

/** Undefined while it goes on. A check that failed has ended like any other. */
export function endOf(screen: Screen): { type: 'ended' | 'cancelled' } | undefined {
  if (screen.name !== 'end') return undefined;
  return { type: GIVEN_UP.has(screen.how) ? 'cancelled' : 'ended' };
}
