// Puts the device channel together: its calls, and the streams that follow a session.
import type { Context } from '../../platform/context.ts';
import type { Door } from '../../platform/http/types.ts';
import { DeviceChannel } from './channel.ts';
import { createFollow } from './follow.ts';
import { Handoffs } from './handoff.ts';
import { registerDeviceRoutes } from './routes.ts';
import { DeviceCalls } from './take-call.ts';
import { DeviceTurns, type DeviceTurnsOptions } from './turns.ts';

/** `trustsProxy`: a proxy in front names the addresses of clients. Returns what the calls of one kind of session need. */
export function openDevice(
  { database, metrics, clock }: Context,
  { http }: Door,
  { trustsProxy }: { trustsProxy: boolean },
  { onChange, ...neighbors }: Omit<DeviceTurnsOptions, 'database' | 'clock'>,
) {
  const follow = createFollow({ look: neighbors.store.look, clock });
  const turns = new DeviceTurns({
    ...neighbors,
    database,
    clock,
    onChange(sessionId) {
      follow.nudge(sessionId);
      onChange(sessionId);
    },
  });
  metrics.addGauge('limen_device_streams', 'Pages that follow their session live.', [], async (gauge) => {
    gauge.set(follow.watchers());
  });
  const handoffs = new Handoffs(turns);
  registerDeviceRoutes(http, { channel: new DeviceChannel(turns, handoffs), handoffs, turns, follow, trustsProxy });
  return { turns, calls: new DeviceCalls(turns) };
}
