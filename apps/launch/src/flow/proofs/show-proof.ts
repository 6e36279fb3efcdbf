// What a person has brought, instead of the check: asked of the browser, shown to the service. Whatever comes of it short of an
// end leads back to the welcome and its other ways.
import type { Proof } from '@limen/plan';
import type { DeviceView, SeenIndicators } from '@limen/sdk/device';
import type { ProofNote, Work } from '../../course/screens.ts';
import type { Passkeys } from '../../passkeys/passkeys.ts';
import type { Wallets } from '../../wallets/wallets.ts';
import type { PageTools } from '../page-tools.ts';
import type { Welcome } from '../session/show-welcome.ts';
import { untilAnswered } from '../waiting/until-answered.ts';
import type { Asking, Shown } from './asking.ts';
import { createAgeKeyUse } from './use-age-key.ts';
import { createWalletUse } from './use-wallet.ts';

export interface Proofs {
  /** Of those that the session takes, what this browser can show and the service will still look at. */
  waysOf(proofs: readonly Proof[]): readonly Proof[];
  /** Why there is none of them, where that leaves nothing to do here. */
  whyNone(): ProofNote;
  show(proof: Proof): void;
}

interface ProofsOptions extends PageTools {
  passkeys: Passkeys;
  wallets: Wallets;
  collectSignals(): Promise<SeenIndicators>;
  welcome(): Welcome;
  open(view: DeviceView): void;
}

interface Way {
  isSupported(): boolean;
  use(asking: Asking): Promise<Shown>;
  doing: Work;
}

export function createProofs(options: ProofsOptions): Proofs {
  const { client, platform, stage, work, claiming, passkeys, wallets, collectSignals } = options;
  const spent = new Set<Proof>();
  const ways: Record<Proof, Way> = {
    age_key: { isSupported: passkeys.isSupported, use: createAgeKeyUse(passkeys), doing: 'passkey' },
    wallet: { isSupported: wallets.isSupported, use: createWalletUse(wallets), doing: 'wallet' },
  };

  return {
    waysOf: (proofs) => proofs.filter((proof) => !spent.has(proof) && ways[proof].isSupported()),
    whyNone: () => (spent.size > 0 ? 'no_tries' : 'unsupported'),
    show(proof) {
      const { use, doing } = ways[proof];
      const tellAsking = () => options.welcome().show({ busy: true, proving: proof });
      tellAsking();
      work.run(async ({ signal }) => {
        const tellWaiting = (offline: boolean) => stage.show({ name: 'working', doing, offline });
        const bring: Asking['bring'] = (call) =>
          untilAnswered(call, { platform, signal, onWaiting: (waits) => (waits ? tellWaiting(true) : tellAsking()) });
        const ask: Asking['ask'] = (call) => untilAnswered(call, { platform, signal, onWaiting: tellWaiting });
        if (!claiming.isMade()) await claiming.claim(signal);
        const shown = await use({ client, platform, signal, bring, ask, tellWaiting, collectSignals });
        if (shown === 'accepted') return options.open(await ask(() => client.view({ signal })));
        if (shown.isSpent) spent.add(proof);
        options.welcome().show({ note: shown.note });
      });
    },
  };
}
