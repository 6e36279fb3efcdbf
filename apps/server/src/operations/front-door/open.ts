// Puts the front door together: what a visitor is told, and whether the database answers.
import type { Clock } from '../../platform/base/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { READY, type ReadinessChecks } from '../../platform/watch/readiness.ts';
import { findProblem } from './health.ts';
import { registerFrontDoorRoutes } from './routes.ts';
import type { WelcomeFacts } from './welcome-page.ts';

interface OpenFrontDoor extends Omit<WelcomeFacts, 'address' | 'database' | 'consoleUrl'> {
  http: HttpServer;
  database: Database;
  readiness: ReadinessChecks;
  clock: Clock;
  servesStrings: boolean;
  /** Where the service is reached; asked for each time, because it may be known only when it listens. */
  publicUrl: () => string;
  /** Asked for each time, for the same reason. */
  consoleUrl: () => string | undefined;
}

export function openFrontDoor(options: OpenFrontDoor): void {
  const { http, database, readiness, clock, servesStrings, publicUrl, consoleUrl, ...facts } = options;
  const engine = database.engine === 'sqlite' ? 'SQLite file' : 'PostgreSQL';
  readiness.add('database', async () => (await findProblem(database)) ?? READY);
  registerFrontDoorRoutes(http, {
    database,
    clock,
    servesStrings,
    describe: () => ({ ...facts, database: engine, address: publicUrl(), consoleUrl: consoleUrl() }),
  });
}
