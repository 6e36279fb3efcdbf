// Puts age sessions together: their end, their service, and how they look to a device.
import type { ChannelClosing } from '../../core/device-channel/close-channel.ts';
import type { DeviceFlow } from '../../core/device-channel/device-flow.ts';
import type { Sessions } from '../../core/sessions/sessions.ts';
import type { Webhooks } from '../../core/webhooks/webhooks.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Access } from '../../platform/http/access.ts';
import type { Bearer } from '../../platform/http/bearer/bearer.ts';
import type { HttpServer } from '../../platform/http/http-server.ts';
import type { Idempotency } from '../../platform/idempotency/idempotency.ts';
import { createAgeDeviceFlow } from './device-flow.ts';
import { createEndSession } from './end-session.ts';
import { registerAgeSessionRoutes } from './routes.ts';
import { createAgeSessions } from './service.ts';

interface OpenAgeSessions {
  http: HttpServer;
  access: Access;
  /** Undefined when no issuer of bearer tokens is configured. */
  bearer: Bearer | undefined;
  /** Whether hosts are served here, or only the page, which ends sessions too. */
  servesHosts: boolean;
  database: Database;
  idempotency: Idempotency;
  sessions: Sessions;
  webhooks: Pick<Webhooks, 'enqueue'>;
  closeChannel: (sessionId: string) => Promise<ChannelClosing | null>;
  launchUrl: (sessionId: string) => URL;
  ttlMs: number;
  challengeMs: number | undefined;
  clock: Clock;
}

export interface OpenedAgeSessions {
  flow: DeviceFlow;
}

export function openAgeSessions(options: OpenAgeSessions): OpenedAgeSessions {
  const { http, access, bearer, servesHosts, challengeMs } = options;
  const endSession = createEndSession(options);
  const ageSessions = createAgeSessions({ ...options, endSession });
  if (servesHosts) registerAgeSessionRoutes(http, { ageSessions, access, checkBearer: bearer?.check });
  return { flow: createAgeDeviceFlow({ endSession, expire: ageSessions.expire, challengeMs }) };
}
