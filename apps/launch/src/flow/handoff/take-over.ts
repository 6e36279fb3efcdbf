// Shows who started the check and asks for the number shown there, before this device takes it
// over.
import type { DeviceClient, HandoffLook } from '@limen/sdk/device';
import type { Screen, TakeOverScreen } from '../../course/screens.ts';
import type { Platform } from '../platform.ts';
import { toClaimRefusal } from '../session/claim-session.ts';
import { limitPatience, until } from '../waiting/until.ts';
import { untilAnswered } from '../waiting/until-answered.ts';

interface TakeOverOptions {
  client: Pick<DeviceClient, 'look' | 'decline'>;
  code: string;
  platform: Platform;
  /** The server's time, in milliseconds since 1970. */
  serverNow(): number;
  /** Chosen number; null for none of the numbers. */
  choose(signal: AbortSignal): Promise<string | null>;
  show(screen: Screen): void;
  signal: AbortSignal;
}

/** Limit for notifying the other device. The person sees the same result either way. */
const DECLINE_MS = 5_000;

/** Returns the chosen number; null if the person refused, which voids the code without a claim. */
export async function askBeforeTakingOver(options: TakeOverOptions): Promise<string | null> {
  const { client, code, platform, serverNow, choose, show, signal } = options;
  const onWaiting = (offline: boolean) => {
    if (offline) show({ name: 'working', doing: 'sending', offline, canCancel: false });
  };
  const fetchLook = () => client.look(code, { signal });
  const look = await untilAnswered(fetchLook, { platform, signal, onWaiting }).catch((error: unknown) => {
    throw toClaimRefusal(error);
  });
  const screen = describeLook(look, serverNow());
  show(screen);
  const number = await choose(signal);
  show({ ...screen, busy: true });
  if (number === null) await decline(options);
  return number;
}

/** Voids the code. Without a network it expires within minutes. */
async function decline({ client, code, platform, signal }: TakeOverOptions): Promise<void> {
  const declined = client.decline(code, { signal }).catch(() => undefined);
  const patience = limitPatience(platform, DECLINE_MS, signal);
  await until(declined, patience.signal).catch(() => undefined);
  patience.stop();
}

export function describeLook(
  { requester, redirectOrigin, began, choices }: HandoffLook,
  nowMs: number,
): TakeOverScreen {
  return {
    name: 'take_over',
    requester,
    redirectOrigin,
    choices,
    busy: false,
    browser: began.browser === 'other' || began.browser === 'app' ? null : began.browser,
    system: began.system === 'other' ? null : began.system,
    agoMs: Math.max(nowMs - Date.parse(began.at), 0),
  };
}
