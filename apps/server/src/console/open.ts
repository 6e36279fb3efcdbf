// Opens the console: its page, sign-in, operators, API keys and audit log. Capabilities add their own calls.

import type { Context } from '../platform/context.ts';
import type { PageFiles } from '../platform/http/pages/files.ts';
import type { Door } from '../platform/http/types.ts';
import { createCeremony } from '../platform/webauthn/ceremony.ts';
import { recordAs, recordWith } from '../records/audit/log.ts';
import { openAudit, registerAuditPruning } from '../records/audit/open.ts';
import { registerOperatorRoutes } from './account/operator-routes.ts';
import { registerProviderRoutes } from './account/provider-routes.ts';
import { passkeyRefused, registerAccountRoutes, registerSignInRoutes } from './account/routes.ts';
import { registerKeyRoutes } from './api-keys/routes.ts';
import { registerAuditRoutes } from './audit/routes.ts';
import { createAddRoute, createAddUpload } from './door/add-route.ts';
import type { Console, DoorParts } from './door/console.ts';
import { createSessionCookie } from './door/cookie.ts';
import { addressOf, createGuard, createRefusals, isRefresh, operatorOf } from './door/guard.ts';
import { namesOf } from './door/key-names.ts';
import { registerConsolePage } from './door/page.ts';
import { createIdentityProvider } from './operators/identity-provider.ts';
import type { Operators } from './operators/operators.ts';
import { createProvidedOperators } from './operators/provided.ts';
import { createOperatorSessions, registerOperatorTimer } from './operators/sessions.ts';
import { OperatorSignIn } from './operators/sign-in.ts';
import { createOperatorStore } from './operators/store.ts';
import type { consoleSettings } from './settings.ts';

/** Maximum looks that are remembered; a forgotten look is recorded again. */
const MAX_REMEMBERED = 10_000;

interface ConsoleSettings extends ReturnType<typeof consoleSettings> {
  files: PageFiles;
  /** Address of the page; read at each call, because the port may be known only when the service listens. */
  consoleUrl: () => string;
  hasScreening: boolean;
}

export async function openConsole(
  context: Context,
  { http }: Door,
  { files, consoleUrl, identity, auditDays, hasScreening }: ConsoleSettings,
  { operators }: { operators: Operators },
): Promise<Console> {
  const { database, sealer, jobs, apiKeys, clock, log } = context;
  const opened = openAudit(context);
  const { audit } = opened;
  registerAuditPruning(context, audit, auditDays);
  const store = createOperatorStore(database, sealer, log);
  registerOperatorTimer(jobs, store, clock);
  const sessions = createOperatorSessions(store, context);
  const relyingParty = () => {
    const { hostname, origin } = new URL(consoleUrl());
    return { id: hostname, origins: [origin] as [string] };
  };
  const signIn = new OperatorSignIn(store, createCeremony(relyingParty), context);
  const cookie = () => createSessionCookie(consoleUrl().startsWith('https:'));

  http.decorateRequest('operatorSession', null);
  const refusals = createRefusals(audit);
  const guard = createGuard({ sessions, noteRefusedCall: refusals.noteCall, cookie, consoleUrl });
  const record: Console['record'] = (request, act, about) => {
    const { operator } = operatorOf(request);
    if (act === 'refused') return refusals.noteCall(operator, request, about ?? '');
    return recordAs(audit, { operator, from: addressOf(request) })(act, about);
  };
  const console: Console = {
    add: createAddRoute(http, guard),
    addUpload: createAddUpload(http, guard),
    record,
    recordWith: (request, act, about) =>
      recordWith(audit, { operator: operatorOf(request).operator, from: addressOf(request) }, act, about),
    noteLook: createNoteLook(record),
    async confirm(request, act, about, answer) {
      const { operator, id } = operatorOf(request);
      const isConfirmed = await signIn.confirmsAct({ sessionId: id, operatorId: operator.id, act, about }, answer);
      if (isConfirmed) return;
      // Records the act alone: `about` may name a person, or be text that an operator typed.
      await record(request, 'refused', act);
      throw passkeyRefused();
    },
    digest: (purpose, what) => sealer.digest(purpose, what).toString('base64url'),
    keyNames: async () => namesOf(await apiKeys.list()),
  };
  const parts: DoorParts = {
    signIn,
    sessions,
    operators,
    audit,
    cookie,
    async beginSession(operator, request) {
      const from = { address: addressOf(request), agent: request.headers['user-agent'] ?? '' };
      return cookie().set((await sessions.begin(operator, from)).token);
    },
    noteRefusedEntry: refusals.noteEntry,
  };
  const provider = identity && (await createIdentityProvider(identity));
  registerConsolePage(http, files, consoleUrl);
  registerSignInRoutes(console, parts);
  registerAccountRoutes(console, parts, { hasScreening });
  registerProviderRoutes(console, parts, {
    http,
    sources: provider && {
      provider,
      provided: createProvidedOperators(context, store, identity.roles),
    },
    consoleUrl,
    sealer,
    clock,
  });
  registerKeyRoutes(console, context);
  registerAuditRoutes(console, context, { ...opened, operators });
  registerOperatorRoutes(console, parts, consoleUrl);
  return console;
}

function createNoteLook(record: Console['record']): Console['noteLook'] {
  /** Which session of an operator has looked at what. */
  const recorded = new Set<string>();
  return async (request, act, id) => {
    // A page that refreshes by itself was recorded at its first look. Its word for that is not enough.
    const look = `${operatorOf(request).id} ${act} ${id ?? ''}`;
    if (isRefresh(request) && recorded.has(look)) return;
    await record(request, act, id);
    if (recorded.size >= MAX_REMEMBERED) recorded.clear();
    recorded.add(look);
  };
}
