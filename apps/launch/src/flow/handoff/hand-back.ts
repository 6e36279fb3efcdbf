// Asks for the code that the other device shows after its success, before this device continues.
import { type DeviceClient, type DeviceView, LimenError } from '@limen/sdk/device';
import type { ReturnCodeScreen } from '../../course/screens.ts';
import type { Platform } from '../platform.ts';
import { untilAnswered } from '../waiting/until-answered.ts';

interface HandBackOptions {
  client: Pick<DeviceClient, 'sendReturnCode' | 'view'>;
  platform: Platform;
  triesLeft: number;
  take(signal: AbortSignal): Promise<string>;
  show(screen: ReturnCodeScreen): void;
  signal: AbortSignal;
}

/** Returns the view once the code was right or its tries are used up. */
export async function takeReturnCode(options: HandBackOptions): Promise<DeviceView> {
  const { client, platform, take, show, signal } = options;
  let { triesLeft } = options;
  // The button already shows progress while it waits for the network.
  const answered = <Result>(call: () => Promise<Result>) =>
    untilAnswered(call, { platform, signal, onWaiting: () => undefined });
  const showState = (state: ReturnCodeScreen['state']) => show({ name: 'return_code', triesLeft, state });
  showState('asking');
  for (;;) {
    const code = readReturnCode(await take(signal));
    if (!code) {
      showState('incomplete');
      continue;
    }
    showState('checking');
    try {
      return await answered(() => client.sendReturnCode(code, { signal }));
    } catch (error) {
      if (!(error instanceof LimenError) || error.code !== 'return_code_refused') throw error;
    }
    const view = await answered(() => client.view({ signal }));
    triesLeft = view.end?.returnCodeTriesLeft ?? 0;
    if (triesLeft === 0) return view;
    showState('wrong');
  }
}

/** Zeros of Arabic, Persian, Devanagari, Bengali, Thai and full-width digits. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50, 0xff10];

/** Returns the six digits in ASCII, from any script and grouping; null if there are not six. */
export function readReturnCode(typed: string): string | null {
  const digits = typed.replace(/\p{Nd}/gu, (digit) => {
    const zero = ZEROS.find((first) => digit.charCodeAt(0) >= first && digit.charCodeAt(0) < first + 10);
    return zero === undefined ? digit : String(digit.charCodeAt(0) - zero);
  });
  const code = digits.replace(/[\s\p{Cf}-]/gu, '');
  return /^[0-9]{6}$/.test(code) ? code : null;
}
