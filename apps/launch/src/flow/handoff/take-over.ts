// Before this device takes a check over from another: shows who began it, and asks for the number that is shown there.
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
  /** What the person chooses; null for none of the numbers. */
  choose(signal: AbortSignal): Promise<string | null>;
  show(screen: Screen): void;
  signal: AbortSignal;
}

/** How long the person waits for the other device to be told; what is said here is the same either way. */
const DECLINE_MS = 5_000;

/** The number that was chosen; null when the person does not want to: nothing was claimed, and the code is void. */
export async function askBeforeTakingOver(options: TakeOverOptions): Promise<string | null> {
  const { client, code, platform, serverNow, choose, show, signal } = options;
  const onWaiting = (offline: boolean) => {
    if (offline) show({ name: 'working', doing: 'sending', offline, canCancel: false });
  };
  const look = () => client.look(code, { signal });
  const seen = await untilAnswered(look, { platform, signal, onWaiting }).catch((error: unknown) => {
    throw toClaimRefusal(error);
  });
  const screen = describeLook(seen, serverNow());
  show(screen);
  const number = await choose(signal);
  show({ ...screen, busy: true });
  if (number === null) await decline(options);
  return number;
}

/** Without a network the code ends by itself, within minutes. */
async function decline({ client, code, platform, signal }: TakeOverOptions): Promise<void> {
  const told = client.decline(code, { signal }).catch(() => undefined);
  const patience = limitPatience(platform, DECLINE_MS, signal);
  await until(told, patience.signal).catch(() => undefined);
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
