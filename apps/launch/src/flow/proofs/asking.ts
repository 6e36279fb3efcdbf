// What using a proof works with, and what comes of it.
import type { DeviceClient, SeenIndicators } from '@limen/sdk/device';
import type { ProofNote } from '../../course/screens.ts';
import type { Platform } from '../platform.ts';
import type { Stage } from '../stage.ts';

export interface Asking {
  client: DeviceClient;
  platform: Platform;
  stage: Pick<Stage, 'state' | 'show'>;
  signal: AbortSignal;
  /** Whether a page that a wallet opens in this browser is the same device to the service. */
  comesBack: boolean;
  /** Asks the service, until it answers, for what the browser then asks the person: the welcome stays for that. */
  bring<Reply>(call: () => Promise<Reply>): Promise<Reply>;
  /** Asks the service, until it answers, about what the person brought. */
  ask<Reply>(call: () => Promise<Reply>): Promise<Reply>;
  /** That what the person brought is being looked at. */
  tellWaiting(offline: boolean): void;
  collectSignals(): Promise<SeenIndicators>;
}

/** `isSpent`: the service looks at no more of its kind. */
export type ProofOutcome = 'accepted' | { note: ProofNote; isSpent?: boolean };
