// What a person has brought, instead of the check: asked of the browser, shown to the service. Whatever comes of it short of an
// end leads back to the welcome and its other ways.
import type { AgeKeyRefusal, Proof } from '@limen/plan';
import type { DeviceView, PasskeyOptionsReply, SeenIndicators } from '@limen/sdk/device';
import type { ProofNote, Work } from '../../course/screens.ts';
import type { Passkeys } from '../../passkeys/passkeys.ts';
import type { Wallets } from '../../wallets/wallets.ts';
import type { PageTools } from '../page-tools.ts';
import type { Welcome } from '../session/show-welcome.ts';
import { untilAnswered } from '../waiting/until-answered.ts';
import type { Asking, ProofOutcome } from './asking.ts';
import { createWalletUse } from './use-wallet.ts';
import { finishWalletLink, waitForWallet } from './wait-for-wallet.ts';

export type Proofs = ReturnType<typeof createProofs>;

interface ProofsOptions extends PageTools {
  passkeys: Passkeys;
  wallets: Wallets;
  collectSignals(): Promise<SeenIndicators>;
  comesBack: boolean;
  welcome(): Welcome;
  open(view: DeviceView): void;
}

interface ProofWay {
  isSupported(): boolean;
  use(asking: Asking): Promise<ProofOutcome>;
  doing: Work;
}

export function createProofs(options: ProofsOptions) {
  const { client, platform, stage, work, claiming, passkeys, wallets, comesBack, collectSignals } = options;
  const spent = new Set<Proof>();
  const askWallet = createWalletUse(wallets);
  const linked: ProofWay = { isSupported: () => true, use: waitForWallet, doing: 'wallet' };
  const ways: Record<Proof, ProofWay> = {
    age_key: { isSupported: passkeys.isSupported, use: createAgeKeyUse(passkeys), doing: 'passkey' },
    wallet: { ...linked, use: (asking) => (wallets.isSupported() ? askWallet(asking) : waitForWallet(asking)) },
  };

  return {
    /** Of those that the session takes, what this browser can show and the service will still look at. */
    waysOf: (proofs: readonly Proof[]): readonly Proof[] =>
      proofs.filter((proof) => !spent.has(proof) && ways[proof].isSupported()),
    show: (proof: Proof): void => show(proof, ways[proof]),
    /** A wallet that the browser is not asked for, or cannot be. */
    linkWallet: (): void => show('wallet', linked),
    /** A wallet on this device has answered, and led back with this. */
    finishWallet: (responseCode: string): void =>
      show('wallet', { ...linked, use: (asking) => finishWalletLink(asking, responseCode) }),
    /** Which kind of attestation is in it. */
    chooseProfile(profile: string): void {
      const { screen } = stage.state();
      if (screen.name === 'wallet_link') stage.show({ ...screen, profile });
    },
  };

  function show(proof: Proof, { use, doing }: ProofWay): void {
    const tellAsking = () => options.welcome().show({ busy: true, proving: proof });
    tellAsking();
    work.run(async ({ signal }) => {
      const tellWaiting = (offline: boolean) => stage.show({ name: 'working', doing, offline });
      const bring: Asking['bring'] = (call) =>
        untilAnswered(call, { platform, signal, onWaiting: (waits) => (waits ? tellWaiting(true) : tellAsking()) });
      const ask: Asking['ask'] = (call) => untilAnswered(call, { platform, signal, onWaiting: tellWaiting });
      if (!claiming.isMade()) await claiming.claim(signal);
      const shown = await use({ client, platform, stage, signal, comesBack, bring, ask, tellWaiting, collectSignals });
      if (shown === 'accepted') return options.open(await ask(() => client.view({ signal })));
      if (shown.isSpent) spent.add(proof);
      options.welcome().show({ note: shown.note });
    });
  }
}

const NOTES: Readonly<Record<AgeKeyRefusal, ProofNote>> = {
  not_known: 'not_known',
  too_old: 'not_enough',
  too_weak: 'not_enough',
  too_low: 'not_enough',
  too_often: 'too_often',
  not_valid: 'failed',
};

function createAgeKeyUse(passkeys: Passkeys): (asking: Asking) => Promise<ProofOutcome> {
  /** Options that got no response yet; they stay valid for the next attempt */
  let questions: PasskeyOptionsReply | null = null;

  return async ({ client, signal, bring, ask, tellWaiting, collectSignals }) => {
    const [asked] = await Promise.all([questions ?? bring(() => client.ageKeyOptions({ signal })), passkeys.prepare()]);
    questions = asked;
    signal.throwIfAborted();
    const response = await passkeys.ask('assert', asked.publicKey).catch(() => null);
    signal.throwIfAborted();
    if (!response) return { note: 'failed' };
    questions = null;
    tellWaiting(false);
    const indicators = await collectSignals();
    const { outcome, reason, triesLeft } = await ask(() => client.useAgeKey(response, { indicators, signal }));
    if (outcome === 'accepted') return 'accepted';
    return { note: NOTES[reason ?? 'not_valid'], isSpent: triesLeft === 0 };
  };
}
