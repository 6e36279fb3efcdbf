// Puts the device channel together: its calls, and the streams of those who follow a session.

import type { SessionId } from '../../platform/base/ids.ts';
import type { Context } from '../../platform/context.ts';
import type { Door } from '../../platform/http/types.ts';
import type { Sessions } from '../lifecycle/sessions.ts';
import { DeviceChannel } from './channel.ts';
import { createFollow } from './follow.ts';
import { Handoffs } from './handoff.ts';
import { registerDeviceRoutes } from './routes.ts';
import { DeviceCalls, OfferCalls } from './take-call.ts';
import { DeviceTurns, type DeviceTurnsOptions } from './turns.ts';

interface DeviceNeighbors extends Omit<DeviceTurnsOptions, 'database' | 'clock'> {
  sessions: Sessions;
  launchUrl: (sessionId: SessionId) => URL;
  /** SHA-256 of the model manifest as it is served, in hex; null while the models are not there. */
  modelManifest: () => string | null;
}

/** `trustsProxy`: a proxy in front names the addresses of clients. Returns the calls that a kind of session answers itself. */
export function openDevice(
  { database, metrics, clock }: Context,
  { http }: Door,
  { trustsProxy }: { trustsProxy: boolean },
  { onChange, ...neighbors }: DeviceNeighbors,
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
  const handoffs = new Handoffs(turns, neighbors);
  const channel = new DeviceChannel(turns, handoffs, neighbors);
  registerDeviceRoutes(http, { channel, handoffs, turns, follow, trustsProxy });
  return { calls: new DeviceCalls(turns), offers: new OfferCalls(turns) };
}
