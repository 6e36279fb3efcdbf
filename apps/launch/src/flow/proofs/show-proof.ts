// Presents a proof in place of the check. Every outcome but the session's end leads back to the
// welcome.
import type { AgeKeyRefusal, Proof } from '@limen/plan';
import type { DeviceView, PasskeyOptionsReply, SeenIndicators } from '@limen/sdk/device';
import type { ProofNote, Work } from '../../course/screens.ts';
import type { Passkeys } from '../../passkeys/passkeys.ts';
import type { Wallets } from '../../wallets/wallets.ts';
import type { PageTools } from '../page-tools.ts';
import type { Welcome } from '../session/show-welcome.ts';
import { untilAnswered } from '../waiting/until-answered.ts';
import type { ProofContext, ProofOutcome } from './proof-context.ts';
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
  use(context: ProofContext): Promise<ProofOutcome>;
  doing: Work;
}

export function createProofs(options: ProofsOptions) {
  const { client, platform, stage, work, claiming, passkeys, wallets, comesBack, collectSignals } = options;
  const spent = new Set<Proof>();
  const askWallet = createWalletUse(wallets);
  const linked: ProofWay = { isSupported: () => true, use: waitForWallet, doing: 'wallet' };
  const ways: Record<Proof, ProofWay> = {
    age_key: { isSupported: passkeys.isSupported, use: createAgeKeyUse(passkeys), doing: 'passkey' },
    wallet: { ...linked, use: (context) => (wallets.isSupported() ? askWallet(context) : waitForWallet(context)) },
  };

  return {
    /** Lists the proofs that the browser can present and the service still accepts. */
    listUsable: (proofs: readonly Proof[]): readonly Proof[] =>
      proofs.filter((proof) => !spent.has(proof) && ways[proof].isSupported()),
    show: (proof: Proof): void => show(proof, ways[proof]),
    linkWallet: (): void => show('wallet', linked),
    /** Completes a wallet's answer with the code from the address. */
    finishWallet: (responseCode: string): void =>
      show('wallet', { ...linked, use: (context) => finishWalletLink(context, responseCode) }),
    chooseProfile(profile: string): void {
      const { screen } = stage.state();
      if (screen.name === 'wallet_link') stage.show({ ...screen, profile });
    },
  };

  function show(proof: Proof, { use, doing }: ProofWay): void {
    const showAsking = () => options.welcome().show({ busy: true, proving: proof });
    showAsking();
    work.run(async ({ signal }) => {
      const showWaiting = (offline: boolean) => stage.show({ name: 'working', doing, offline });
      const callQuietly: ProofContext['callQuietly'] = (call) =>
        untilAnswered(call, { platform, signal, onWaiting: (waits) => (waits ? showWaiting(true) : showAsking()) });
      const callVisibly: ProofContext['callVisibly'] = (call) =>
        untilAnswered(call, { platform, signal, onWaiting: showWaiting });
      if (!claiming.isMade()) await claiming.claim(signal);
      const shown = await use({
        client,
        platform,
        stage,
        signal,
        comesBack,
        callQuietly,
        callVisibly,
        showWaiting,
        collectSignals,
      });
      if (shown === 'accepted') return options.open(await callVisibly(() => client.view({ signal })));
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

function createAgeKeyUse(passkeys: Passkeys): (context: ProofContext) => Promise<ProofOutcome> {
  /** Options without a response yet; still valid for the next attempt. */
  let questions: PasskeyOptionsReply | null = null;

  return async ({ client, signal, callQuietly, callVisibly, showWaiting, collectSignals }) => {
    const [asked] = await Promise.all([
      questions ?? callQuietly(() => client.ageKeyOptions({ signal })),
      passkeys.prepare(),
    ]);
    questions = asked;
    signal.throwIfAborted();
    const response = await passkeys.ask('assert', asked.publicKey).catch(() => null);
    signal.throwIfAborted();
    if (!response) return { note: 'failed' };
    questions = null;
    showWaiting(false);
    const indicators = await collectSignals();
    const { outcome, reason, triesLeft } = await callVisibly(() => client.useAgeKey(response, { indicators, signal }));
    if (outcome === 'accepted') return 'accepted';
    return { note: NOTES[reason ?? 'not_valid'], isSpent: triesLeft === 0 };
  };
}
