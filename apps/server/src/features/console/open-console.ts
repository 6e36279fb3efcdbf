// Puts the console together: who may use it, what they see and do, and the record of it.
import type { FastifyRequest } from 'fastify';
import type { AuditLog } from '../../core/audit/audit-log.ts';
import { openAudit, registerAuditPruning } from '../../core/audit/open-audit.ts';
import type { ChannelStore } from '../../core/device-channel/store.ts';
import { createOperatorSessions, type OperatorSessions } from '../../core/operators/operator-sessions.ts';
import { registerOperatorTimer } from '../../core/operators/operator-timer.ts';
import { createOperators, type Operators } from '../../core/operators/operators.ts';
import { type Answer, createSignIn, type SignIn } from '../../core/operators/sign-in.ts';
import { createOperatorStore } from '../../core/operators/store.ts';
import { createCeremony } from '../../core/passkeys/ceremony.ts';
import type { ReviewDesk } from '../../core/review/review-desk.ts';
import type { Sessions } from '../../core/sessions/sessions.ts';
import type { WatchedSubjects } from '../../core/watching/watched-subjects.ts';
import type { Webhooks } from '../../core/webhooks/webhooks.ts';
import type { ApiKeys } from '../../platform/api-keys/api-keys.ts';
import type { Clock } from '../../platform/clock.ts';
import type { HttpServer } from '../../platform/http/http-server.ts';
import type { PageFiles } from '../../platform/http/pages/page-files.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Foundation } from '../../platform/open-foundation.ts';
import { passkeyRefused, registerAccountRoutes } from './account-routes.ts';
import { type AddRoute, createAddRoute } from './add-route.ts';
import { registerAuditRoutes } from './audit-routes.ts';
import { createSessionCookie, type SessionCookie } from './cookie.ts';
import { addressOf, createGuard, operatorOf } from './guard.ts';
import { registerKeyRoutes } from './key-routes.ts';
import { registerConsolePage } from './page.ts';
import { registerReviewRoutes } from './review-routes.ts';
import { registerSessionRoutes } from './session-routes.ts';
import type { ConfirmableAct } from './views.ts';

interface OpenConsole extends Foundation {
  http: HttpServer;
  files: PageFiles;
  /** Where operators find the page; asked each time, because the port may be known only when the service listens. */
  consoleUrl: () => string;
  auditDays: number;
  sessions: Sessions;
  deviceChannels: ChannelStore;
  webhooks: Webhooks;
  desk: ReviewDesk;
  /** Undefined where nothing is watched here. */
  watched: WatchedSubjects | undefined;
}

/** What the rooms of the console share. */
export interface ConsoleParts {
  add: AddRoute;
  signIn: SignIn;
  /** Of operators. */
  sessions: OperatorSessions;
  cookie: () => SessionCookie;
  /** Of people. */
  browsedSessions: Sessions;
  channels: ChannelStore;
  webhooks: Webhooks;
  desk: ReviewDesk;
  watched: WatchedSubjects | undefined;
  operators: Operators;
  clock: Clock;
  apiKeys: ApiKeys;
  audit: AuditLog;
  ids: Ids;
  /** For the record of what somebody searched for. */
  digest(purpose: string, text: string): string;
  /** On disk before anything is done or shown. */
  record(request: FastifyRequest, act: string, about?: string): Promise<void>;
  /** Throws unless the operator's own passkey has just said yes to this very act. */
  confirm(request: FastifyRequest, act: ConfirmableAct, about: string, answer: Answer): Promise<void>;
}

export function openConsole(options: OpenConsole): void {
  const { http, files, consoleUrl, database, sealer, jobs, apiKeys, clock, ids, log } = options;
  const { audit } = openAudit({ database, sealer, clock });
  registerAuditPruning(jobs, audit, options.auditDays);
  const store = createOperatorStore(database, sealer, log);
  registerOperatorTimer(jobs, store, clock);
  const sessions = createOperatorSessions({ store, sealer, clock, ids });
  const relyingParty = () => {
    const { hostname, origin } = new URL(consoleUrl());
    return { id: hostname, origins: [origin] as [string] };
  };
  const signIn = createSignIn({ database, store, sealer, ceremony: createCeremony(relyingParty), clock, log });
  const cookie = () => createSessionCookie(consoleUrl().startsWith('https:'));

  http.decorateRequest('operatorSession', null);
  const parts: ConsoleParts = {
    add: createAddRoute(http, createGuard({ sessions, audit, cookie, consoleUrl })),
    signIn,
    sessions,
    cookie,
    browsedSessions: options.sessions,
    channels: options.deviceChannels,
    webhooks: options.webhooks,
    desk: options.desk,
    watched: options.watched,
    operators: createOperators({ database, store, sealer, clock, ids }),
    clock,
    apiKeys,
    audit,
    ids,
    digest: (purpose, text) => sealer.digest(purpose, text).toString('base64url'),
    record(request, act, about) {
      const { operator } = operatorOf(request);
      return audit.write({ operator, act, ...(about !== undefined && { about }), from: addressOf(request) });
    },
    async confirm(request, act, about, answer) {
      const { operator, id } = operatorOf(request);
      const isConfirmed = await signIn.confirmsAct({ sessionId: id, operatorId: operator.id, act, about }, answer);
      if (!isConfirmed) throw passkeyRefused();
    },
  };
  registerConsolePage(http, files, consoleUrl);
  registerAccountRoutes(parts);
  registerSessionRoutes(parts);
  registerReviewRoutes(parts);
  registerKeyRoutes(parts);
  registerAuditRoutes(parts);
}
