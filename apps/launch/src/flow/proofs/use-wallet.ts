// A wallet in place of the check: asked through the browser right after a press, its answer shown to the service.
import type { WalletRefusal } from '@limen/plan';
import { LimenError, type WalletAnswer, type WalletOptionsReply } from '@limen/sdk/device';
import type { ProofNote } from '../../course/screens.ts';
import type { Wallets } from '../../wallets/wallets.ts';
import { limitPatience } from '../waiting/until.ts';
import type { Asking, ProofOutcome } from './asking.ts';

export const WALLET_NOTES: Readonly<Record<WalletRefusal, ProofNote>> = {
  declined: 'declined',
  no_age: 'not_enough',
  not_trusted: 'not_trusted',
  ended: 'ended',
  not_valid: 'failed',
};

/** Some browsers leave a question open for ever. Long enough to find the phone, unlock it and read what is asked. */
const PATIENCE_MS = 3 * 60_000;

export function createWalletUse(wallets: Wallets): (asking: Asking) => Promise<ProofOutcome> {
  /** Good for one answer; until then it can be asked with them. */
  let requests: WalletOptionsReply['requests'] | null = null;

  return async (asking) => {
    const { client, signal, ask, tellWaiting, collectSignals } = asking;
    const asked = requests ?? (await bringIfGiven(asking, () => client.walletOptions({ signal })))?.requests;
    if (!asked) return { note: 'failed', isSpent: true };
    requests = asked;
    signal.throwIfAborted();
    // The service took so long that the browser has forgotten the press: the next one finds everything ready.
    if (!wallets.mayAsk()) return { note: 'press_again' };
    const answer = await askInTime(asking, asked);
    signal.throwIfAborted();
    requests = null;
    tellWaiting(false);
    const indicators = await collectSignals();
    const { outcome, reason, triesLeft } = await ask(() => client.useWallet(answer, { indicators, signal }));
    if (outcome === 'accepted') return 'accepted';
    return { note: WALLET_NOTES[reason ?? 'not_valid'], isSpent: triesLeft === 0 };
  };

  /** What no wallet answered is told to the service as such, by the error that wallets have for it. */
  async function askInTime({ platform, signal }: Asking, asked: WalletOptionsReply['requests']): Promise<WalletAnswer> {
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

/** Null where the session asks for none any more, or the service trusts nobody now. */
export async function bringIfGiven<Reply>(
  { bring }: Pick<Asking, 'bring'>,
  call: () => Promise<Reply>,
): Promise<Reply | null> {
  try {
    return await bring(call);
  } catch (error) {
    if (error instanceof LimenError && error.code === 'forbidden') return null;
    throw error;
  }
}
