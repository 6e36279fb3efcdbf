// Opens what the operator of a service sees: the front door, metrics of upkeep, and two pages of the console.
import type { Console } from '../console/door/console.ts';
import type { Context } from '../platform/context.ts';
import type { Door } from '../platform/http/types.ts';
import { editedRows } from '../platform/sealing/edited-rows.ts';
import { READY } from '../platform/watch/readiness.ts';
import type { Activity } from '../records/activity.ts';
import { createTrustFolder } from '../sessions/proofs/wallets/trust/folder.ts';
import { addBackupMetrics } from './backup/last.ts';
import { addOverviewConsole } from './console/overview-routes.ts';
import { addSystemConsole, type SystemSources } from './console/routes.ts';
import { findProblem, registerFrontDoorRoutes } from './front-door/routes.ts';
import type { WelcomeFacts } from './front-door/welcome-page.ts';

interface FrontDoorSettings extends Omit<WelcomeFacts, 'address' | 'database' | 'consoleUrl'> {
  servesStrings: boolean;
  /** Address of the service; read at each call, because it may be known only when the service listens. */
  publicUrl: () => string;
  /** Address of the console; read at each call, for the same reason. */
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

interface OperationsNeighbors extends Pick<SystemSources, 'examine'> {
  activity: Activity;
}

export function addOperationsConsole(
  console: Console,
  context: Context,
  { dataDir }: { dataDir: string },
  { activity, examine }: OperationsNeighbors,
): void {
  addOverviewConsole(console, context, activity);
  addSystemConsole(console, context, { examine, trust: createTrustFolder(dataDir) });
}
