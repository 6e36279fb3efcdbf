// Context and outcome of presenting a proof.
import type { DeviceClient, SeenIndicators } from '@limen/sdk/device';
import type { ProofNote } from '../../course/screens.ts';
import type { Platform } from '../platform.ts';
import type { Stage } from '../stage.ts';

export interface ProofContext {
  client: DeviceClient;
  platform: Platform;
  stage: Pick<Stage, 'state' | 'show'>;
  signal: AbortSignal;
  /** Whether the service recognizes a page opened by a wallet as the same device. */
  comesBack: boolean;
  /** Calls the service until it answers, behind the welcome: the browser's prompt follows. */
  callQuietly<Reply>(call: () => Promise<Reply>): Promise<Reply>;
  /** Calls the service until it answers, with a progress screen. */
  callVisibly<Reply>(call: () => Promise<Reply>): Promise<Reply>;
  /** Shows that the proof is being checked. */
  showWaiting(offline: boolean): void;
  collectSignals(): Promise<SeenIndicators>;
}

/** `isSpent`: the service accepts no more attempts of this kind. */
export type ProofOutcome = 'accepted' | { note: ProofNote; isSpent?: boolean };
