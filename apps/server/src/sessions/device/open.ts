// Puts the device channel together: its calls, and the streams of those who follow a session.

import type { Context } from '../../platform/context.ts';
import type { Door } from '../../platform/http/types.ts';
import { createDeviceChannel, type DeviceChannel, type DeviceChannelOptions } from './channel.ts';
import { createFollow } from './follow.ts';
import { registerDeviceRoutes } from './routes.ts';

/** `trustsProxy`: a proxy in front names the addresses of clients. */
export function openDevice(
  { database, metrics, clock }: Context,
  { http }: Door,
  { trustsProxy }: { trustsProxy: boolean },
  { onChange, ...neighbors }: Omit<DeviceChannelOptions, 'database' | 'clock'>,
): DeviceChannel {
  const follow = createFollow({ look: neighbors.store.look, clock });
  const channel = createDeviceChannel({
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
  registerDeviceRoutes(http, { channel, follow, trustsProxy });
  return channel;
}
