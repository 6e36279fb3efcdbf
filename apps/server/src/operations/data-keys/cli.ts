// `limen keys rotate-data`: gives the database new data keys, seals everything again, and destroys the earlier keys.
import type { Command } from 'commander';
import { type Cli, CommandError, examples } from '../../command-line/command.ts';
import { withContext } from '../../command-line/context.ts';
import { withInterrupt } from '../../command-line/interrupt.ts';
import { progressOnTerminal } from '../../command-line/terminal/progress.ts';
import { nameProcess } from '../../platform/database/processes.ts';
import { type RotationStep, rotateDataKeys } from './rotate.ts';

export function addKeysRotateData(keys: Command, cli: Cli): void {
  keys
    .command('rotate-data')
    .description('Reseal all data under new data keys and destroy the old keys, without downtime')
    .option('--leave-unreadable', 'destroy the old keys even if some values cannot be opened')
    .addHelpText('after', examples('limen keys rotate-data'))
    .action((options: { leaveUnreadable?: true }) => rotateData(cli, options));
}

async function rotateData(cli: Cli, { leaveUnreadable = false }: { leaveUnreadable?: boolean }): Promise<void> {
  const { terminal } = cli;
  const progress = progressOnTerminal();
  const onStep = createStepPrinter(terminal.complain, progress.show);
  try {
    const report = await withInterrupt((signal) =>
      withContext(cli, async ({ database, record, ...context }) => {
        await record('data-keys.rotate');
        const options = { ...context, database, onStep, signal, leavesUnreadable: leaveUnreadable };
        const done = await rotateDataKeys(options);
        await database.checkpoint(); // the destroyed keys are in the write-ahead log until then
        return done;
      }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        throw new CommandError('Stopped. All keys are kept and everything opens. Run it again to continue.');
      }),
    );
    progress.clear();
    const { changed, isDestroyed, unreadable } = report;
    terminal.print(`Resealed ${changed} values and rows; the old data keys are ${isDestroyed ? 'destroyed' : 'kept'}.`);
    if (isDestroyed) return;
    const counts = [...unreadable].map(([table, count]) => `${count} in ${table}`).join(', ');
    throw new CommandError(
      `Some values do not open, because they are damaged or were edited in the database: ${counts}. ` +
        'Without the old keys they never will. Restore or delete them and run it again, or add --leave-unreadable.',
    );
  } finally {
    progress.clear();
  }
}

/** Prints each new reason for waiting once, and counts on the progress line. */
function createStepPrinter(
  complain: (text: string) => void,
  show: ReturnType<typeof progressOnTerminal>['show'],
): (step: RotationStep) => void {
  let printed = '';
  return (step) => {
    if (step.step === 'resealing') return show({ label: step.table, done: step.changed, unit: 'rows' });
    const text = describeStep(step);
    if (text !== printed) complain(text);
    printed = text;
  };
}

function describeStep(step: Exclude<RotationStep, { step: 'resealing' }>): string {
  if (step.step === 'made') return 'Made new data keys.';
  if (step.step === 'quiet') {
    return `Resealed. Other processes are running, so the old keys stay until no value under them has appeared by ${new Date(
      step.untilMs,
    ).toISOString()}. You may stop this and run it again later.`;
  }
  const names = step.processes.map((row) =>
    row.opens_with === null
      ? `${nameProcess(row)} of version ${row.version}, which does not report its keys`
      : nameProcess(row),
  );
  const what = step.until === 'known' ? 'know the new keys' : 'seal with the new keys';
  return (
    `Waiting until these ${what}: ${names.join(', ')}. It takes some ten seconds; if it takes longer, restart them ` +
    '(earlier versions, and processes with an earlier master key, cannot).'
  );
}
