// The check goes on on a phone: this device shows the code, follows it, and shows how it ended.

import type { DeviceView } from '@limen/sdk/device';
import type { HandoffScreen } from '../../course/screens.ts';
import { packFindings } from '../check/carry-findings.ts';
import type { PageTools } from '../page-tools.ts';
import { type FollowedPhone, followPhone } from './follow-phone.ts';

export interface PhoneWatch {
  /** `isFollower`: it was handed on before, as after a reload. */
  begin(isFollower: boolean): void;
  renewCode(): void;
}

interface PhoneWatchOptions extends PageTools {
  open(view: DeviceView): void;
  fail(error: unknown): void;
}

export function createPhoneWatch(options: PhoneWatchOptions): PhoneWatch {
  const { client, platform, work, standing, claiming, kept, stage, open, fail } = options;
  let followed: { phone: FollowedPhone; signal: AbortSignal } | undefined;

  function show(screen: HandoffScreen): void {
    // What the phone needs of this went along, and it finds the rest itself.
    if (screen.state === 'following') kept.wipe();
    stage.show(screen);
  }

  return {
    begin(isFollower) {
      work.run(async ({ signal }) => {
        const plan = isFollower ? undefined : await claiming.claim(signal);
        const reason = standing.isPhoneOnly() ? 'desktop' : 'chosen';
        const findings = () => plan && packFindings(plan, kept.of(plan, client.log()));
        const phone = followPhone({ client, platform, reason, isFollower, findings, show, signal });
        followed = { phone, signal };
        open(await phone.ended);
      });
    },
    renewCode() {
      if (!followed || followed.signal.aborted) return;
      const { phone, signal } = followed;
      phone.renewCode().catch((error: unknown) => {
        if (!signal.aborted) fail(error);
      });
    },
  };
}
