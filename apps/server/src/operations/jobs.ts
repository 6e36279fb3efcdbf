// `limen jobs`: shows the background jobs and puts dead ones back in the queue.
import type { Command } from 'commander';
import { type Cli, CommandError, examples } from '../command-line/command.ts';
import { withContext } from '../command-line/context.ts';
import { withDatabaseForReading } from '../command-line/read-only.ts';
import { printTable, printTime, type TableColumn } from '../command-line/terminal/print-table.ts';
import { hasTable } from '../platform/database/migrate.ts';
import { JobStore } from '../platform/jobs/store.ts';
import { MAX_LISTED_JOBS } from './limits.ts';

export function addJobsCommands(program: Command, cli: Cli): void {
  const jobs = program.command('jobs').description('Background jobs: list, retry');

  jobs
    .command('list')
    .description('Count jobs by kind and state, or list the dead ones')
    .option('--dead', 'list the jobs that failed for good, newest first')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('limen jobs list', 'limen jobs list --dead'))
    .action((options: { dead?: true; json?: true }) =>
      options.dead ? listDeadJobs(cli, options) : listJobCounts(cli, options),
    );

  jobs
    .command('retry')
    .description('Put a dead job back in the queue; a running server picks it up within a second')
    .argument('<id>', 'id of the job, as shown by: limen jobs list --dead')
    .addHelpText('after', examples('limen jobs retry 019a8561-8a2f-7000-a5c5-3c0f8d1a2b4e'))
    .action((id: string) => retryJob(cli, id));
}

async function listJobCounts(cli: Cli, { json }: { json?: true }): Promise<void> {
  const counts = await withJobs(cli, (jobs) => jobs.countByKind(), []);
  const { print, paint } = cli.terminal;
  if (json) return print(JSON.stringify(counts, null, 2));
  if (counts.length === 0) return print('There are no jobs.');
  const paintDead = (text: string, dead: string) => (dead === '0' ? text : paint('red', text));
  const columns: TableColumn[] = [
    { heading: 'KIND' },
    { heading: 'READY', align: 'right' },
    { heading: 'RUNNING', align: 'right' },
    { heading: 'DEAD', align: 'right', paint: paintDead },
  ];
  const rows = counts.map(({ kind, ready, running, dead }) => [kind, `${ready}`, `${running}`, `${dead}`]);
  print(printTable(columns, rows, (text) => paint('bold', text)));
}

async function listDeadJobs(cli: Cli, { json }: { json?: true }): Promise<void> {
  const look = async (jobs: JobStore) => ({
    jobs: await jobs.listDead(MAX_LISTED_JOBS),
    total: (await jobs.countByKind()).reduce((sum, { dead }) => sum + dead, 0),
  });
  const { jobs, total } = await withJobs(cli, look, { jobs: [], total: 0 });
  const { print, complain, paint } = cli.terminal;
  if (total > jobs.length) complain(`Only the newest ${jobs.length} of ${total} dead jobs are listed.`);
  if (json) {
    const records = jobs.map(({ id, kind, attempts, last_error, created_at }) => {
      return { id, kind, attempts, lastError: last_error, createdAt: new Date(created_at).toISOString() };
    });
    return print(JSON.stringify(records, null, 2));
  }
  if (jobs.length === 0) return print('There are no dead jobs.');
  const columns = ['ID', 'KIND', { heading: 'ATTEMPTS', align: 'right' as const }, 'LAST ERROR', 'CREATED'];
  const rows = jobs.map(({ id, kind, attempts, last_error, created_at }) => {
    return [id, kind, `${attempts}`, last_error ?? '-', printTime(created_at)];
  });
  print(printTable(columns, rows, (text) => paint('bold', text)));
}

async function retryJob(cli: Cli, id: string): Promise<void> {
  const { print } = cli.terminal;
  await withContext(cli, async ({ jobStore: jobs, record }) => {
    if ((await jobs.findById(id))?.state === 'dead') await record('job.retry', id);
    if (await jobs.revive(id, cli.clock.now())) return print(`Job ${id} is back in the queue.`);
    const job = await jobs.findById(id);
    if (!job) throw new CommandError('There is no job with this id; see: limen jobs list --dead');
    if (job.state !== 'dead') return print(`Job ${id} is not dead: it is ${job.state}.`);
    throw new CommandError(
      'Another job of the same kind for the same thing is already waiting or running; this one stays dead.',
    );
  });
}

function withJobs<T>(cli: Cli, look: (jobs: JobStore) => Promise<T>, none: T): Promise<T> {
  return withDatabaseForReading(cli, async (database) =>
    database && (await hasTable(database, 'jobs')) ? look(new JobStore(database)) : none,
  );
}
