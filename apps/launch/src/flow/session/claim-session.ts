// Takes the session for this device, or takes it over with the one-time code of the address if another handed it on.
import { type DeviceClient, type DevicePlan, LimenError } from '@limen/sdk/device';
import type { Screen } from '../../course/screens.ts';
import type { Platform } from '../platform.ts';
import { untilAnswered } from '../waiting/until-answered.ts';
import { ClaimRefusedError } from './describe-failure.ts';

interface ClaimOptions {
  client: DeviceClient;
  platform: Platform;
  code: string | undefined;
  /** Opens what the device before has found. */
  boxKey: string | undefined;
  show(screen: Screen): void;
  /** The back button would leave the check. */
  onBack(): void;
}

export type SessionClaim = ReturnType<typeof createClaim>;

const CLAIM_REFUSALS = new Map([
  ['handoff_code_refused', new ClaimRefusedError('old_code')],
  ['handoff_number_refused', new ClaimRefusedError('other_number')],
  ['third_device', new ClaimRefusedError('third_device')],
]);

/** What the service says to a code, as a reason to stop; anything else as it came. */
export function toClaimRefusal(error: unknown): unknown {
  return (error instanceof LimenError && CLAIM_REFUSALS.get(error.code)) || error;
}

export function createClaim({ client, platform, boxKey, show, onBack, ...given }: ClaimOptions) {
  /** Works once. */
  let { code } = given;
  let isMade = false;
  let plan: DevicePlan | undefined;
  let letBackLeave: (() => void) | undefined;

  function dropCode(): void {
    if (code !== undefined) platform.dropFragment();
    code = undefined;
  }

  return {
    /**
     * The same device gets the same plan again, and with it the log as the service has it. With the number that the other
     * device shows, the code is used.
     */
    async claim(
      signal: AbortSignal,
      { number, start }: { number?: string /** The first step starts now. */; start?: boolean } = {},
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
    /** Not used up yet. */
    code: (): string | undefined => code,
    /** It was used, or nobody wants to. */
    dropCode,
    isMade: (): boolean => isMade,
    /** The last one, until it is dropped. */
    plan: (): DevicePlan | undefined => plan,
    /** To be claimed anew, because the log may be another by now. */
    dropPlan(): void {
      plan = undefined;
    },
    /** The back button leaves again. */
    letBackLeave: (): void => letBackLeave?.(),
  };
}
