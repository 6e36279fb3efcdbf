// Shows a wallet link and its QR code, and waits until the wallet has answered the service.
import type { DeviceView } from '@limen/sdk/device';
import { timeLeftMs, toMinutes } from '../session/describe-view.ts';
import { countDown } from '../waiting/count-down.ts';
import { limitPatience } from '../waiting/until.ts';
import type { ProofContext, ProofOutcome } from './proof-context.ts';
import { fetchIfOffered, WALLET_NOTES } from './use-wallet.ts';

export async function waitForWallet(context: ProofContext): Promise<ProofOutcome> {
  const { client, platform, stage, signal, comesBack, callQuietly, collectSignals } = context;
  const indicators = await collectSignals();
  const opensHere = !platform.isComputer();
  const sameDevice = opensHere && comesBack;
  const offer = await fetchIfOffered(context, () => client.walletLinks({ indicators, sameDevice, signal }));
  const [first] = offer?.links ?? [];
  if (!offer || !first) return { note: 'failed', isSpent: true };
  // Counts from the server's clock, because the device's may be wrong.
  const { serverTime } = await callQuietly(() => client.view({ signal }));
  signal.throwIfAborted();
  const until = platform.now() + timeLeftMs({ ...offer, serverTime });
  stage.show({
    name: 'wallet_link',
    links: offer.links,
    profile: first.profile,
    opensHere,
    minutesLeft: toMinutes(until - platform.now()),
  });
  const isSpent = offer.triesLeft === 0;
  const heard = await listen(context, until);
  if (heard === 'timed_out') return { note: 'timed_out', isSpent };
  const { walletLinkRefused: refusal } = heard;
  return refusal ? { note: WALLET_NOTES[refusal], isSpent } : 'accepted';
}

/** Completes the answer of a wallet on this device, which may have opened a new page. */
export async function finishWalletLink(
  { client, callVisibly, showWaiting, signal }: ProofContext,
  code: string,
): Promise<ProofOutcome> {
  showWaiting(false);
  const { outcome, reason, triesLeft } = await callVisibly(() => client.finishWalletLink(code, { signal }));
  if (outcome === 'accepted') return 'accepted';
  return { note: WALLET_NOTES[reason ?? 'not_valid'], isSpent: triesLeft === 0 };
}

/** Returns the view with the outcome, or 'timed_out' when the links expire. */
async function listen(
  { client, platform, stage, signal }: ProofContext,
  until: number,
): Promise<DeviceView | 'timed_out'> {
  const patience = limitPatience(platform, until - platform.now(), signal);
  const stopCounting = countDown(platform, until, (leftMs) => {
    const { screen } = stage.state();
    // The person may have chosen another kind since.
    if (screen.name === 'wallet_link') stage.show({ ...screen, minutesLeft: toMinutes(leftMs) });
  });
  try {
    for await (const view of client.follow({ signal: patience.signal }))
      if (view.end || view.walletLinkRefused || view.role !== 'active') return view;
    return 'timed_out';
  } catch (error) {
    signal.throwIfAborted();
    if (patience.signal.aborted) return 'timed_out';
    throw error;
  } finally {
    stopCounting();
    patience.stop();
  }
}
