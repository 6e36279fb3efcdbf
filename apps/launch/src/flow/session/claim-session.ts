// Claims the session for this device, or takes it over with the one-time code of the address.
import { type DeviceClient, type DevicePlan, LimenError } from '@limen/sdk/device';
import type { Screen } from '../../course/screens.ts';
import type { Platform } from '../platform.ts';
import { untilAnswered } from '../waiting/until-answered.ts';
import { ClaimRefusedError } from './describe-failure.ts';

interface ClaimOptions {
  client: DeviceClient;
  platform: Platform;
  code: string | undefined;
  /** Key that opens the previous device's findings. */
  boxKey: string | undefined;
  show(screen: Screen): void;
  /** Called when the back button would leave the check. */
  onBack(): void;
}

export type SessionClaim = ReturnType<typeof createClaim>;

const CLAIM_REFUSALS = new Map([
  ['handoff_code_refused', new ClaimRefusedError('old_code')],
  ['handoff_number_refused', new ClaimRefusedError('other_number')],
  ['third_device', new ClaimRefusedError('third_device')],
]);

/** Maps the service's refusal of a code to a reason to stop. Returns other errors unchanged. */
export function toClaimRefusal(error: unknown): unknown {
  return (error instanceof LimenError && CLAIM_REFUSALS.get(error.code)) || error;
}

export function createClaim({ client, platform, boxKey, show, onBack, ...given }: ClaimOptions) {
  /** Valid once. */
  let { code } = given;
  let isMade = false;
  let plan: DevicePlan | undefined;
  let letBackLeave: (() => void) | undefined;

  function dropCode(): void {
    if (code !== undefined) platform.dropFragment();
    code = undefined;
  }

  return {
    /** Claims the session. A repeated claim gets the same plan and the current log. */
    async claim(
      signal: AbortSignal,
      { number, start }: { number?: string /** Whether the first step starts now. */; start?: boolean } = {},
    ): Promise<DevicePlan> {
      const claimOnce = () => client.claim({ signal, boxKey, start, ...(number !== undefined && { code, number }) });
      const onWaiting = (waits: boolean) => {
        if (waits) show({ name: 'working', doing: 'sending', offline: true });
      };
      plan = await untilAnswered(claimOnce, { platform, signal, onWaiting }).catch((error: unknown) => {
        throw toClaimRefusal(error);
      });
      dropCode();
      isMade = true;
      letBackLeave ??= platform.guardBack(onBack);
      return plan;
    },
    /** The code, until it is used. */
    code: (): string | undefined => code,
    /** Drops the code after it was used or refused. */
    dropCode,
    isMade: (): boolean => isMade,
    /** The last plan, until it is dropped. */
    plan: (): DevicePlan | undefined => plan,
    /** Forces a new claim, because the log may have changed. */
    dropPlan(): void {
      plan = undefined;
    },
    /** Releases the back button. */
    letBackLeave: (): void => letBackLeave?.(),
  };
}
