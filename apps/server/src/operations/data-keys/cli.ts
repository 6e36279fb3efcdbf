// `limen keys rotate-data`: new data keys for the database, everything sealed anew with them, and the earlier ones destroyed.
import type { Command } from 'commander';
import { type Cli, CommandFailure, examples } from '../../command-line/command.ts';
import { withContext } from '../../command-line/context.ts';
import { progressOnTerminal } from '../../command-line/terminal/progress.ts';
import { nameProcess } from '../../platform/database/processes.ts';
import { type RotationReport, type RotationStep, rotateDataKeys } from './rotate.ts';

export function addKeysRotateData(keys: Command, cli: Cli): void {
  keys
    .command('rotate-data')
    .description('Seal everything anew under new data keys and destroy the old ones; the service goes on meanwhile')
    .option('--leave-unreadable', 'destroy the old keys although values were found that do not open')
    .addHelpText('after', examples('limen keys rotate-data'))
    .action((options: { leaveUnreadable?: true }) => rotateData(cli, options));
}

async function rotateData(cli: Cli, { leaveUnreadable = false }: { leaveUnreadable?: boolean }): Promise<void> {
  const { terminal } = cli;
  const progress = progressOnTerminal();
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const tell = createTeller(terminal.complain, progress.show);
  try {
    const report = await withContext(cli, async ({ database, record, ...context }) => {
      await record('data-keys.rotate');
      const done = await rotateDataKeys({
        ...{ ...context, database, onStep: tell, signal: interrupted.signal },
        leavesUnreadable: leaveUnreadable,
      });
      // The keys that were destroyed are still in the write-ahead log until it is emptied.
      await database.checkpoint();
      return done;
    }).catch((error: unknown) => {
      throw interrupted.signal.aborted ? new CommandFailure(STOPPED) : error;
    });
    progress.clear();
    terminal.print(describe(report));
    if (!report.isDestroyed) throw new CommandFailure(describeUnreadable(report));
  } finally {
    progress.clear();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

const STOPPED = 'Stopped. All keys are kept and everything opens. Run it again to continue.';

/** Each thing that is waited for is said once; what is counted goes to the line of progress. */
function createTeller(
  complain: (text: string) => void,
  show: ReturnType<typeof progressOnTerminal>['show'],
): (step: RotationStep) => void {
  let said = '';
  const say = (text: string) => {
    if (text !== said) complain(text);
    said = text;
  };
  return (step) => {
    switch (step.step) {
      case 'made':
        return say('Made new data keys.');
      case 'waiting': {
        const names = step.processes.map((row) =>
          row.opens_with === null
            ? `${nameProcess(row)} of version ${row.version}, which does not report its keys`
            : nameProcess(row),
        );
        const what = step.until === 'known' ? 'know the new keys' : 'seal with the new keys';
        return say(
          `Waiting until these ${what}: ${names.join(', ')}. It takes some ten seconds; if it takes longer, restart them ` +
            '(an earlier version cannot, nor can one that was started with an earlier master key).',
        );
      }
      case 'resealing':
        return show({ label: step.table, done: step.changed, unit: 'rows' });
      case 'quiet':
        return say(
          `Sealed anew. Other processes run, so the old keys stay until nothing under them has turned up by ${new Date(
            step.untilMs,
          ).toISOString()}. You may stop this and run it again later.`,
        );
    }
  };
}

function describe({ changed, isDestroyed }: RotationReport): string {
  const sealed = `Sealed ${changed} values and rows anew`;
  return isDestroyed ? `${sealed}; the old data keys are destroyed.` : `${sealed}; the old data keys are kept.`;
}

function describeUnreadable({ unreadable }: RotationReport): string {
  const counts = [...unreadable].map(([table, count]) => `${count} in ${table}`).join(', ');
  return (
    `Values were found that do not open, because they are damaged or were edited in the database: ${counts}. ` +
    'Without the old keys they never will. Restore or delete them and run it again, or add --leave-unreadable.'
  );
}
