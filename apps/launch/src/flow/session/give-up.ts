// Tells the service that the person gave the check up, and shows how that ended.
import type { DeviceClient, DeviceView } from '@limen/sdk/device';
import type { KeptFindings } from '../check/keep-findings.ts';
import type { Platform } from '../platform.ts';
import type { Stage } from '../stage.ts';
import { untilAnswered } from '../waiting/until-answered.ts';
import type { Work } from '../work.ts';
import type { CancelCode } from './cancel-code.ts';
import type { SessionClaim } from './claim-session.ts';
import type { KnownEnd } from './describe-view.ts';
import type { Standing } from './standing.ts';

export type GiveUp = (code: CancelCode, known?: KnownEnd) => void;

interface GiveUpOptions {
  client: DeviceClient;
  platform: Platform;
  work: Work;
  standing: Standing;
  claiming: SessionClaim;
  kept: KeptFindings;
  stage: Stage;
  open(view: DeviceView, known?: KnownEnd): void;
}

export function createGiveUp(options: GiveUpOptions): GiveUp {
  const { client, platform, work, standing, claiming, kept, stage, open } = options;
  return (code, known) => {
    kept.wipe();
    work.run(async ({ signal }) => {
      const onWaiting = (offline: boolean) =>
        stage.update({ screen: { name: 'working', doing: 'sending', offline, canCancel: false }, dialog: null });
      onWaiting(false);
      if (standing.view()?.role !== 'active' && !claiming.plan()) await claiming.claim(signal);
      const give = () => client.cancel(code, { signal });
      open(await untilAnswered(give, { platform, signal, onWaiting }), known);
    });
  };
}
