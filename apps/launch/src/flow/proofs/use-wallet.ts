// Asks a wallet through the browser right after a press, and sends its answer to the service.
import type { WalletRefusal } from '@limen/plan';
import { LimenError, type WalletAnswer, type WalletOptionsReply } from '@limen/sdk/device';
import type { ProofNote } from '../../course/screens.ts';
import type { Wallets } from '../../wallets/wallets.ts';
import { limitPatience } from '../waiting/until.ts';
import type { ProofContext, ProofOutcome } from './proof-context.ts';

export const WALLET_NOTES: Readonly<Record<WalletRefusal, ProofNote>> = {
  declined: 'declined',
  no_age: 'not_enough',
  not_trusted: 'not_trusted',
  ended: 'ended',
  not_valid: 'failed',
};

/** Some prompts never end. This suffices to find the phone, unlock it and read. */
const PATIENCE_MS = 3 * 60_000;

export function createWalletUse(wallets: Wallets): (context: ProofContext) => Promise<ProofOutcome> {
  /** Requests without an answer yet; still valid for the next attempt. */
  let requests: WalletOptionsReply['requests'] | null = null;

  return async (context) => {
    const { client, signal, callVisibly, showWaiting, collectSignals } = context;
    const asked = requests ?? (await fetchIfOffered(context, () => client.walletOptions({ signal })))?.requests;
    if (!asked) return { note: 'failed', isSpent: true };
    requests = asked;
    signal.throwIfAborted();
    // The service took so long that the press no longer counts. The next press finds everything
    // ready.
    if (!wallets.mayAsk()) return { note: 'press_again' };
    const answer = await askInTime(context, asked);
    signal.throwIfAborted();
    requests = null;
    showWaiting(false);
    const indicators = await collectSignals();
    const { outcome, reason, triesLeft } = await callVisibly(() => client.useWallet(answer, { indicators, signal }));
    if (outcome === 'accepted') return 'accepted';
    return { note: WALLET_NOTES[reason ?? 'not_valid'], isSpent: triesLeft === 0 };
  };

  /** Returns the wallet's answer; without one, the error that wallets use for that. */
  async function askInTime(
    { platform, signal }: ProofContext,
    asked: WalletOptionsReply['requests'],
  ): Promise<WalletAnswer> {
    const patience = limitPatience(platform, PATIENCE_MS, signal);
    try {
      return await wallets.ask(asked, patience.signal);
    } catch {
      return { protocol: asked[0]?.protocol ?? '', data: { error: 'access_denied' } };
    } finally {
      patience.stop();
    }
  }
}

/** Returns null if the session no longer accepts wallets, or the service trusts no issuer. */
export async function fetchIfOffered<Reply>(
  { callQuietly }: Pick<ProofContext, 'callQuietly'>,
  call: () => Promise<Reply>,
): Promise<Reply | null> {
  try {
    return await callQuietly(call);
  } catch (error) {
    if (error instanceof LimenError && error.code === 'forbidden') return null;
    throw error;
  }
}
