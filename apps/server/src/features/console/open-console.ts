// Puts the console together: who may use it, what they see and do, and the record of it.

import type { Activity } from '../../core/activity/activity.ts';
import { openAudit, registerAuditPruning } from '../../core/audit/open-audit.ts';
import { recordAs, recordWith } from '../../core/audit/record-act.ts';
import type { ChannelStore } from '../../core/device-channel/store.ts';
import type { IdentityProvider } from '../../core/operators/identity-provider.ts';
import { createOperatorSessions } from '../../core/operators/operator-sessions.ts';
import { registerOperatorTimer } from '../../core/operators/operator-timer.ts';
import { createOperators } from '../../core/operators/operators.ts';
import { createProvidedOperators, type GroupRoles } from '../../core/operators/provided-operators.ts';
import { createSignIn } from '../../core/operators/sign-in.ts';
import { createOperatorStore } from '../../core/operators/store.ts';
import { createCeremony } from '../../core/passkeys/ceremony.ts';
import type { ReviewDesk } from '../../core/review/review-desk.ts';
import type { Sessions } from '../../core/sessions/sessions.ts';
import type { Signing } from '../../core/signing/signing.ts';
import { createWatchedBrowser } from '../../core/watching/browse/browse-watched.ts';
import type { WatchedSubjects } from '../../core/watching/watched-subjects.ts';
import { createDeliveryBrowser } from '../../core/webhooks/browse-deliveries.ts';
import type { Webhooks } from '../../core/webhooks/webhooks.ts';
import type { HttpServer } from '../../platform/http/http-server.ts';
import type { PageFiles } from '../../platform/http/pages/page-files.ts';
import { createJobStore } from '../../platform/jobs/store.ts';
import type { Foundation } from '../../platform/open-foundation.ts';
import { passkeyRefused, registerAccountRoutes } from './account-routes.ts';
import { createAddRoute, createAddUpload } from './add-route.ts';
import { registerAuditRoutes } from './audit-routes.ts';
import type { ConsoleParts } from './console-parts.ts';
import { createSessionCookie } from './cookie.ts';
import { addressOf, createGuard, operatorOf } from './guard.ts';
import { registerKeyRoutes } from './key-routes.ts';
import { createNoteLook } from './note-look.ts';
import { registerOperatorRoutes } from './operator-routes.ts';
import { registerOverviewRoutes } from './overview-routes.ts';
import { registerConsolePage } from './page.ts';
import { type PeopleSources, registerPeopleRoutes } from './people-routes.ts';
import { registerProviderRoutes } from './provider-routes.ts';
import { createRefusals } from './refusals.ts';
import { registerReviewRoutes } from './review-routes.ts';
import { createHitCases } from './screening/hit-case.ts';
import type { ScreeningSources } from './screening/screening-parts.ts';
import { registerScreeningRoutes } from './screening/screening-routes.ts';
import { registerSubjectRoutes } from './screening/subject-routes.ts';
import { createDescribeSession } from './session-case.ts';
import { registerSessionRoutes } from './session-routes.ts';
import { registerSystemRoutes, type SystemSources } from './system-routes.ts';
import { registerWebhookRoutes } from './webhook-routes.ts';

interface OpenConsole extends Foundation {
  http: HttpServer;
  files: PageFiles;
  /** Where operators find the page; asked each time, because the port may be known only when the service listens. */
  consoleUrl: () => string;
  /** Who else can say who an operator is; undefined where passkeys alone do. */
  identities: { provider: IdentityProvider; roles: GroupRoles } | undefined;
  auditDays: number;
  sessions: Sessions;
  deviceChannels: ChannelStore;
  webhooks: Webhooks;
  desk: ReviewDesk;
  activity: Activity;
  /** Undefined where nothing is watched here. */
  watched: WatchedSubjects | undefined;
  /** Undefined where nothing is screened. */
  screening: ScreeningSources | undefined;
  system: SystemSources;
  signing: Signing;
  privacy: Pick<PeopleSources, 'people' | 'retention'>;
}

export function openConsole(options: OpenConsole): void {
  const { http, files, consoleUrl, database, sealer, jobs, apiKeys, clock, ids, log } = options;
  const opened = openAudit({ database, sealer, clock });
  const { audit } = opened;
  registerAuditPruning({ jobs, audit, days: options.auditDays, log });
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
  const refusals = createRefusals(audit);
  const guard = createGuard({ sessions, refusals, cookie, consoleUrl });
  const record: ConsoleParts['record'] = (request, act, about) => {
    const { operator } = operatorOf(request);
    if (act === 'refused') return refusals.noteCall(operator, request, about ?? '');
    return recordAs(audit, { operator, from: addressOf(request) })(act, about);
  };
  const parts: ConsoleParts = {
    add: createAddRoute(http, guard),
    addUpload: createAddUpload(http, guard),
    signIn,
    sessions,
    cookie,
    async beginSession(operator, request) {
      const from = { address: addressOf(request), agent: request.headers['user-agent'] ?? '' };
      return cookie().set((await sessions.begin(operator, from)).token);
    },
    browsedSessions: options.sessions,
    channels: options.deviceChannels,
    webhooks: options.webhooks,
    desk: options.desk,
    activity: options.activity,
    operators: createOperators({ database, store, sealer, clock, ids }),
    clock,
    apiKeys,
    keyUses: options.keyUses,
    audit,
    ids,
    digest: (purpose, what) => sealer.digest(purpose, what).toString('base64url'),
    record,
    recordWith: (request, act, about) =>
      recordWith(audit, { operator: operatorOf(request).operator, from: addressOf(request) }, act, about),
    noteRefusedEntry: refusals.noteEntry,
    noteLook: createNoteLook(record),
    async confirm(request, act, about, answer) {
      const { operator, id } = operatorOf(request);
      const isConfirmed = await signIn.confirmsAct({ sessionId: id, operatorId: operator.id, act, about }, answer);
      if (isConfirmed) return;
      // The act alone: what it is about may be a person, or text of somebody's.
      await record(request, 'refused', act);
      throw passkeyRefused();
    },
  };
  registerConsolePage(http, files, consoleUrl);
  registerAccountRoutes(parts, { hasScreening: options.screening !== undefined });
  registerProviderRoutes(parts, {
    http,
    sources: options.identities && {
      provider: options.identities.provider,
      provided: createProvidedOperators({ database, store, sealer, roles: options.identities.roles, clock, ids }),
    },
    consoleUrl,
    sealer,
  });
  registerSessionRoutes(parts);
  registerReviewRoutes(parts, {
    describeSession: createDescribeSession({ database, sealer }, options.sessions),
    hits: createHitCases(options.watched),
  });
  const deliveries = createDeliveryBrowser(database);
  registerOverviewRoutes(parts, deliveries);
  registerWebhookRoutes(parts, deliveries);
  registerKeyRoutes(parts);
  registerAuditRoutes(parts, { ...opened, sealer });
  registerOperatorRoutes(parts, consoleUrl);
  registerSystemRoutes(parts, options.system, createJobStore(database));
  registerPeopleRoutes(parts, { ...options.privacy, database, signing: options.signing });
  if (options.screening) {
    const screening = { ...options.screening, browser: createWatchedBrowser(database, sealer), clock, log };
    registerScreeningRoutes(parts, screening);
    registerSubjectRoutes(parts, screening);
  }
}
