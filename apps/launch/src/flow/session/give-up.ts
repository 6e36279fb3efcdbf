// Reports to the service that the person gave up, and shows the end.

import type { DeviceView } from '@limen/sdk/device';
import type { PageTools } from '../page-tools.ts';
import { untilAnswered } from '../waiting/until-answered.ts';
import type { CancelCode } from './cancel-code.ts';
import type { KnownEnd } from './describe-view.ts';

export type GiveUp = (code: CancelCode, known?: KnownEnd) => void;

interface GiveUpOptions extends PageTools {
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
