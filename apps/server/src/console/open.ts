// Opens the console: its page, sign-in, operators, API keys and audit log. Capabilities add their own calls.
import type { Context } from '../platform/context.ts';
import type { PageFiles } from '../platform/http/pages/files.ts';
import type { Door } from '../platform/http/types.ts';
import { openAudit, registerAuditPruning } from '../records/audit/open.ts';
import { registerOperatorRoutes } from './account/operator-routes.ts';
import { registerProviderRoutes } from './account/provider-routes.ts';
import { registerAccountRoutes, registerSignInRoutes } from './account/routes.ts';
import { registerKeyRoutes } from './api-keys/routes.ts';
import { registerAuditRoutes } from './audit/routes.ts';
import { createConsole } from './door/console.ts';
import { registerConsolePage } from './door/page.ts';
import { createIdentityProvider, createProvidedOperators } from './operators/identity-provider.ts';
import type { Operators } from './operators/operators.ts';
import { registerOperatorTimer } from './operators/sessions.ts';
import { createOperatorStore } from './operators/store.ts';
import type { consoleSettings } from './settings.ts';

interface ConsoleSettings extends ReturnType<typeof consoleSettings> {
  files: PageFiles;
  /** Address of the page. Read at each call, because the port may be known only once the service listens. */
  consoleUrl: () => string;
  hasScreening: boolean;
}

export async function openConsole(
  context: Context,
  { http }: Door,
  { files, consoleUrl, identity, auditDays, hasScreening }: ConsoleSettings,
  { operators }: { operators: Operators },
) {
  const { database, sealer, jobs, clock, log } = context;
  const opened = openAudit(context);
  const { audit } = opened;
  registerAuditPruning(context, audit, auditDays);
  const store = createOperatorStore(database, sealer, log);
  registerOperatorTimer(jobs, store, clock);
  const { console, parts } = createConsole(context, { http, store, operators, audit, consoleUrl });
  const provider = identity && (await createIdentityProvider(identity));
  registerConsolePage(http, files, consoleUrl);
  registerSignInRoutes(console, parts);
  registerAccountRoutes(console, parts, hasScreening);
  const sources = provider && { provider, provided: createProvidedOperators(context, store, identity.roles) };
  registerProviderRoutes(console, parts, { http, sources, consoleUrl, sealer, clock });
  registerKeyRoutes(console, context);
  registerAuditRoutes(console, context, { ...opened, operators });
  registerOperatorRoutes(console, parts, consoleUrl);
  return console;
}
