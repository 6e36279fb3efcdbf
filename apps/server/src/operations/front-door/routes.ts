// The front door: service descriptor, welcome page and health.
import { Health, ref, ServiceDescriptor } from '@limen/contract';
import type { Clock } from '../../platform/base/clock.ts';
import { isReadOnly } from '../../platform/base/database-failures.ts';
import { SERVICE, VERSION } from '../../platform/base/version.ts';
import type { Database } from '../../platform/database/database.ts';
import { alsoAs } from '../../platform/http/body/media-types.ts';
import { sendPage } from '../../platform/http/pages/page.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { renderWelcome, type WelcomeFacts } from './welcome-page.ts';

const STRING_ENDPOINTS = {
  createString: 'POST /strings',
  listStrings: 'GET /strings',
  getString: 'GET /strings/:id',
  deleteString: 'DELETE /strings/:id',
};

interface FrontDoorRoutes {
  database: Database;
  clock: Clock;
  servesStrings: boolean;
  describe: () => WelcomeFacts;
}

export function registerFrontDoorRoutes(
  app: HttpServer,
  { database, clock, servesStrings, describe }: FrontDoorRoutes,
): void {
  const startedAt = clock.now();
  const tags = ['Operation'];
  const descriptor: ServiceDescriptor = {
    service: SERVICE,
    version: VERSION,
    endpoints: { health: 'GET /health', ...(servesStrings && STRING_ENDPOINTS) },
  };

  app.get(
    '/',
    {
      config: { unlimited: true },
      schema: {
        tags,
        summary: 'Describe the service',
        description:
          'Always JSON: `Accept` does not count. Only a browser that navigates here (`Sec-Fetch-Mode: navigate`) gets a page with links instead.',
        response: { 200: alsoAs(ref(ServiceDescriptor, 'The descriptor, or the page.'), 'text/html') },
      },
    },
    async (request, reply) => {
      reply.header('vary', 'sec-fetch-mode');
      const isVisited = request.headers['sec-fetch-mode'] === 'navigate';
      return isVisited ? sendPage(reply, renderWelcome(describe())) : descriptor;
    },
  );

  app.get(
    '/health',
    {
      config: { unlimited: true },
      schema: {
        tags,
        summary: 'Health check',
        description: '200 while the process serves and its database answers and takes writes, otherwise 503.',
        response: { 200: ref(Health, 'Healthy.'), 503: ref(Health, 'The database does not answer, or is read-only.') },
      },
    },
    async (_request, reply) => {
      const uptimeSeconds = Math.max(0, Math.floor((clock.now() - startedAt) / 1000));
      const isHealthy = (await findProblem(database)) === undefined;
      const status = isHealthy ? 'ok' : 'unavailable';
      return reply.code(isHealthy ? 200 : 503).send({ status, service: SERVICE, version: VERSION, uptimeSeconds });
    },
  );
}

const PATIENCE_MS = 2_000;
const SILENT = 'does not answer';

/** Returns undefined if the database answers in time. */
export async function findProblem(database: Database): Promise<string | undefined> {
  const { promise: problem, resolve } = Promise.withResolvers<string | undefined>();
  const timer = setTimeout(resolve, PATIENCE_MS, SILENT);
  database.ping().then(
    () => resolve(undefined),
    (error: Error) => resolve(isReadOnly(error) ? error.message : SILENT),
  );
  return problem.finally(() => clearTimeout(timer));
}
