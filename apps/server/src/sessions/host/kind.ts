// Settings and neighbors that each kind of session is opened with.
import type { RelyingParty } from '../../platform/webauthn/relying-party.ts';
import type { Activity } from '../../records/activity.ts';
import type { ReviewCases } from '../../review/cases.ts';
import type { MovementTuning } from '../device/flow.ts';
import type { LightChallenge } from '../device/light.ts';
import type { FinishedChecks } from '../risk/finished-checks.ts';
import type { SessionCore } from './open.ts';

export interface KindSettings {
  /** Whether hosts are served here, or only the page, which ends sessions too. */
  servesHosts: boolean;
  ttlMs: number;
  lightChallenge: LightChallenge;
}

export interface KindNeighbors {
  core: SessionCore;
  cases: ReviewCases;
  activity: Activity;
  finishedChecks: FinishedChecks;
  /** Site that passkeys and age keys are bound to. */
  relyingParty: () => RelyingParty;
  /** Address where the person of a session starts. */
  launchUrl: (sessionId: string) => URL;
  movements: MovementTuning | undefined;
}
