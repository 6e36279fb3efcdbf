// A wallet that the browser does not ask: the page shows a link and its code, and waits until the service has heard from the wallet.
import type { DeviceView } from '@limen/sdk/device';
import { timeLeftMs, toMinutes } from '../session/describe-view.ts';
import { countDown } from '../waiting/count-down.ts';
import { limitPatience } from '../waiting/until.ts';
import type { Asking, ProofOutcome } from './asking.ts';
import { bringIfGiven, WALLET_NOTES } from './use-wallet.ts';

export async function waitForWallet(asking: Asking): Promise<ProofOutcome> {
  const { client, platform, stage, signal, comesBack, bring, collectSignals } = asking;
  const indicators = await collectSignals();
  const opensHere = !platform.isComputer();
  const sameDevice = opensHere && comesBack;
  const given = await bringIfGiven(asking, () => client.walletLinks({ indicators, sameDevice, signal }));
  const [first] = given?.links ?? [];
  if (!given || !first) return { note: 'failed', isSpent: true };
  // Counted from the server's own clock: the device's may be wrong.
  const { serverTime } = await bring(() => client.view({ signal }));
  signal.throwIfAborted();
  const until = platform.now() + timeLeftMs({ ...given, serverTime });
  stage.show({
    name: 'wallet_link',
    links: given.links,
    profile: first.profile,
    opensHere,
    minutesLeft: toMinutes(until - platform.now()),
  });
  const isSpent = given.triesLeft === 0;
  const heard = await listen(asking, until);
  if (heard === 'timed_out') return { note: 'timed_out', isSpent };
  const { walletLinkRefused: refusal } = heard;
  return refusal ? { note: WALLET_NOTES[refusal], isSpent } : 'accepted';
}

/** The wallet was on this device, and has led back to a page that may be another than the one that waits. */
export async function finishWalletLink(
  { client, ask, tellWaiting, signal }: Asking,
  code: string,
): Promise<ProofOutcome> {
  tellWaiting(false);
  const { outcome, reason, triesLeft } = await ask(() => client.finishWalletLink(code, { signal }));
  if (outcome === 'accepted') return 'accepted';
  return { note: WALLET_NOTES[reason ?? 'not_valid'], isSpent: triesLeft === 0 };
}

/** The view that says what became of it; or that nobody answered while the links were good. */
async function listen({ client, platform, stage, signal }: Asking, until: number): Promise<DeviceView | 'timed_out'> {
  const patience = limitPatience(platform, until - platform.now(), signal);
  const stopCounting = countDown(platform, until, (leftMs) => {
    const { screen } = stage.state();
    // The person may have chosen another kind meanwhile.
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
