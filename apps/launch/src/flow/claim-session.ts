// Takes the session for this device, with the one-time code of the address if another device handed it on.
import { type DeviceClient, type DevicePlan, LimenError } from '@limen/sdk/device';
import { ClaimRefusedError } from './describe-failure.ts';
import type { Platform } from './platform.ts';
import type { Screen } from './screens.ts';
import { untilAnswered } from './until-answered.ts';

interface ClaimOptions {
  client: DeviceClient;
  platform: Platform;
  code: string | undefined;
  show(screen: Screen): void;
  /** The back button would leave the check. */
  onBack(): void;
}

export interface SessionClaim {
  /** The same device gets the same plan again, and with it the log as the service has it. */
  claim(signal: AbortSignal): Promise<DevicePlan>;
  /** Not used up yet. */
  hasCode(): boolean;
  isMade(): boolean;
  /** The back button leaves again. */
  letBackLeave(): void;
}

const CLAIM_REFUSALS = new Map([
  ['handoff_code_refused', new ClaimRefusedError('old_code')],
  ['third_device', new ClaimRefusedError('third_device')],
]);

export function createClaim({ client, platform, show, onBack, ...given }: ClaimOptions): SessionClaim {
  /** Works once. */
  let { code } = given;
  let isMade = false;
  let letBackLeave: (() => void) | undefined;
  return {
    async claim(signal) {
      const claimOnce = () => client.claim(code === undefined ? { signal } : { code, signal });
      const onWaiting = (waits: boolean) => {
        if (waits) show({ name: 'working', doing: 'sending', offline: true });
      };
      const plan = await untilAnswered(claimOnce, { platform, signal, onWaiting }).catch((error: unknown) => {
        throw (error instanceof LimenError && CLAIM_REFUSALS.get(error.code)) || error;
      });
      if (code !== undefined) platform.dropFragment();
      code = undefined;
      isMade = true;
      letBackLeave ??= platform.guardBack(onBack);
      return plan;
    },
    hasCode: () => code !== undefined,
    isMade: () => isMade,
    letBackLeave: () => letBackLeave?.(),
  };
}
