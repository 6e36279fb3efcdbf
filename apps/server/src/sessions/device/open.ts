// Puts the device channel together: its calls, and the streams of those who follow a session.

import type { HttpServer } from '../../platform/http/types.ts';
import type { Metrics } from '../../platform/watch/metrics.ts';
import { createDeviceChannel, type DeviceChannel, type DeviceChannelOptions } from './channel.ts';
import { createFollow } from './follow.ts';
import { registerDeviceRoutes } from './routes.ts';

interface OpenDevice extends DeviceChannelOptions {
  http: HttpServer;
  metrics: Metrics;
  trustsProxy: boolean;
}

export function openDevice(options: OpenDevice): DeviceChannel {
  const { http, store, clock, metrics, trustsProxy, onChange } = options;
  const follow = createFollow({ look: store.look, clock });
  const channel = createDeviceChannel({
    ...options,
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
