// Checks what a service for others should have beyond what it needs to run: asked for with --deployment.
import type { Config } from '../../../config.ts';
import { findLastBackup } from '../../../core/backup/last-backup.ts';
import { hasTable } from '../../../platform/database/migrate.ts';
import { isLoopback } from '../../../platform/loopback.ts';
import { type Check, type Facts, type Finding, ok, warning } from './check.ts';

const DAY_MS = 86_400_000;
/** Older than this, a backup is one from before things that people remember. */
const BACKUP_DAYS = 7;

export const checkDeployment: Check = async (facts) => [...judgeSettings(facts.config), await judgeBackups(facts)];

export function judgeSettings(config: Config): Finding[] {
  const isOpen = !isLoopback(config.HOST);
  return [
    config.production
      ? ok('production: development keys, the demo and simulated outcomes of live sessions are off')
      : warning('not in production mode', 'set NODE_ENV=production'),
    config.MASTER_KEY
      ? ok('the master key comes from the settings')
      : warning('the master key lies beside the data that it protects', 'set MASTER_KEY, from a secret store'),
    config.KEYHOLDER_URL
      ? ok('the key-holder is a process of its own')
      : warning(
          'the key-holder is a thread of the service: who takes over one has both',
          'run it as a process, on another machine if you can (docs/keyholder.md)',
        ),
    config.DATABASE_URL
      ? ok('PostgreSQL: several processes can share it')
      : warning('a database file: one process, and none when its machine is gone', 'for more, set DATABASE_URL'),
    config.DATASET_SYNC_HOURS > 0
      ? ok(`lists are refreshed every ${config.DATASET_SYNC_HOURS} hours`)
      : warning(
          'lists are not refreshed by the service',
          'set DATASET_SYNC_HOURS=24, or run limen datasets sync by a timer',
        ),
    config.PUBLIC_URL?.startsWith('https:')
      ? ok('the launch page has an address of its own')
      : warning('links to the launch page lead to this machine or have no https', 'set PUBLIC_URL to https://…'),
    ...(isOpen && config.METRICS_TOKEN === undefined
      ? [warning('metrics can be read on this machine only', 'set METRICS_TOKEN and scrape with it')]
      : []),
  ];
}

/** By what is on record; other tools leave nothing there. */
async function judgeBackups({ database: facts, clock }: Facts): Promise<Finding> {
  const remedy = 'run limen backup by a timer, and try a restore; leave it if other tools take backups';
  if (facts.state !== 'answers' || !(await hasTable(facts.database, 'audit_lines')))
    return warning('no backup is on record', remedy);
  const now = clock.now();
  const last = await findLastBackup(facts.database.queries, now);
  if (!last) return warning('no backup is on record', remedy);
  if (!last.isWhole) return warning('no backup on record was ever finished', remedy);
  const days = Math.floor((now - last.at) / DAY_MS);
  const told = `the last backup on record is ${days === 0 ? 'of the last 24 hours' : `${days} days old`}`;
  return days < BACKUP_DAYS ? ok(told) : warning(told, remedy);
}
