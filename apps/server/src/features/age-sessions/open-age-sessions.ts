// Puts age sessions together: their end, their service, and how they look to a device.
import type { LightChallenge } from '../../core/device-channel/answer/light-answer.ts';
import type { DeviceFlow, MovementTuning } from '../../core/device-channel/device-flow.ts';
import type { SessionServiceParts } from '../../core/session-service/session-service.ts';
import type { Webhooks } from '../../core/webhooks/webhooks.ts';
import type { Access } from '../../platform/http/access.ts';
import type { Bearer } from '../../platform/http/bearer/bearer.ts';
import type { HttpServer } from '../../platform/http/http-server.ts';
import { createAgeDeviceFlow } from './device-flow.ts';
import { createEndSession } from './end-session.ts';
import { registerAgeSessionRoutes } from './routes.ts';
import { createAgeSessions } from './service.ts';

interface OpenAgeSessions extends SessionServiceParts {
  http: HttpServer;
  access: Access;
  /** Undefined when no issuer of bearer tokens is configured. */
  bearer: Bearer | undefined;
  /** Whether hosts are served here, or only the page, which ends sessions too. */
  servesHosts: boolean;
  webhooks: Pick<Webhooks, 'enqueue'>;
  launchUrl: (sessionId: string) => URL;
  ttlMs: number;
  lightChallenge: LightChallenge;
  movements: MovementTuning | undefined;
}

export interface OpenedAgeSessions {
  flow: DeviceFlow<'age'>;
}

export function openAgeSessions(options: OpenAgeSessions): OpenedAgeSessions {
  const { http, access, bearer, servesHosts } = options;
  const endSession = createEndSession(options);
  const ageSessions = createAgeSessions({ ...options, endSession });
  if (servesHosts) registerAgeSessionRoutes(http, { ageSessions, access, checkBearer: bearer?.check });
  return { flow: createAgeDeviceFlow({ ...options, endSession, expire: ageSessions.expire }) };
}
