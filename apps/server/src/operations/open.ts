// Opens the operator's view of a service: the front door, metrics of upkeep, and two pages of the console.
import type { Console } from '../console/door/console.ts';
import type { Context } from '../platform/context.ts';
import type { Door } from '../platform/http/types.ts';
import { editedRows } from '../platform/sealing/edited-rows.ts';
import { READY } from '../platform/watch/readiness.ts';
import type { Activity } from '../records/activity.ts';
import { addBackupMetrics } from './backup/last.ts';
import { addOverviewConsole } from './console/overview-routes.ts';
import { addSystemConsole, type RunDoctor } from './console/routes.ts';
import { findProblem, registerFrontDoorRoutes } from './front-door/routes.ts';
import type { WelcomeFacts } from './front-door/welcome-page.ts';

interface FrontDoorSettings extends Omit<WelcomeFacts, 'address' | 'database' | 'consoleUrl'> {
  servesStrings: boolean;
  /** Called at each visit, because addresses may be known only after the start. */
  publicUrl: () => string;
  consoleUrl: () => string | undefined;
}

export function openFrontDoor(
  { database, metrics, readiness, clock }: Context,
  { http }: Door,
  { servesStrings, publicUrl, consoleUrl, ...facts }: FrontDoorSettings,
): void {
  addBackupMetrics(metrics, database, clock);
  const help = 'Rows that were found edited in the database since the start.';
  metrics.addCounters('limen_edited_rows_total', help, 'table', editedRows);
  const engine = database.engine === 'sqlite' ? 'SQLite file' : 'PostgreSQL';
  readiness.add('database', async () => (await findProblem(database)) ?? READY);
  registerFrontDoorRoutes(http, {
    database,
    clock,
    servesStrings,
    describe: () => ({ ...facts, database: engine, address: publicUrl(), consoleUrl: consoleUrl() }),
  });
}

export function addOperationsConsole(
  console: Console,
  context: Context,
  { dataDir }: { dataDir: string },
  { activity, examine }: { activity: Activity; examine: RunDoctor },
): void {
  addOverviewConsole(console, context, activity);
  addSystemConsole(console, context, dataDir, examine);
}
