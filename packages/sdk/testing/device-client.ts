// A device client with controlled clocks, connected to a stand-in that verifies signatures and
// opens envelopes.
import { createDeviceClient, type DeviceClient, type DeviceClientOptions } from '../src/device.ts';
import { type DeviceServer, SESSION_ID, startDeviceServer } from './device-server.ts';

export const BEGAN = { browser: 'Firefox', system: 'Windows' } as const;
export const FINDINGS = { face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' } } as const;

/** Both clocks stand still unless the test moves them. */
function createClocks() {
  const clocks = { wall: 1_000_000, steady: 500 };
  return { clocks, now: () => clocks.wall, monotonicNow: () => clocks.steady };
}

export async function startDevice(options: Partial<DeviceClientOptions> = {}) {
  const server = await startDeviceServer();
  const waits: number[] = [];
  const { clocks, now, monotonicNow } = createClocks();
  const connect = (more: Partial<DeviceClientOptions> = {}) =>
    createDeviceClient({
      baseUrl: server.url,
      sessionId: SESSION_ID,
      now,
      monotonicNow,
      random: () => 0,
      sleep: async (milliseconds) => void waits.push(milliseconds),
      ...options,
      ...more,
    });
  return { server, waits, clocks, connect, device: await connect() };
}

export async function followPlan(device: DeviceClient): Promise<void> {
  await device.record('started', 0);
  for (const index of [0, 1, 2]) {
    await device.record('shown', index);
    await device.record('done', index);
  }
  await device.record('finished', 0);
}

export function operationsOf({ seen }: DeviceServer): string[] {
  return seen.map(({ operation }) => operation);
}
