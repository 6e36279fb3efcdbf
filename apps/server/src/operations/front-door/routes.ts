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
  /** What the welcome page tells a visitor. */
  describe: () => WelcomeFacts;
}

export function registerFrontDoorRoutes(app: HttpServer, options: FrontDoorRoutes): void {
  const { database, clock, servesStrings, describe } = options;
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
      const health = await checkHealth(database, Math.max(0, Math.floor((clock.now() - startedAt) / 1000)));
      return reply.code(health.status === 'ok' ? 200 : 503).send(health);
    },
  );
}

const PATIENCE_MS = 2_000;
const SILENT = 'does not answer';

export async function checkHealth(database: Database, uptimeSeconds: number): Promise<Health> {
  const status = (await findProblem(database)) === undefined ? 'ok' : 'unavailable';
  return { status, service: SERVICE, version: VERSION, uptimeSeconds };
}

/** Returns why the database cannot be used; undefined when it answered in time. */
export async function findProblem(database: Database): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, SILENT);
  });
  const answered = database.ping().then(
    () => undefined,
    (error: Error) => (isReadOnly(error) ? error.message : SILENT),
  );
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}
