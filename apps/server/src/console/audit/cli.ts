// `limen audit`: verifies and exports the audit log of the console.
import type { Command } from 'commander';
import { type Cli, CommandError, examples } from '../../command-line/command.ts';
import { withContext } from '../../command-line/context.ts';
import { formatCount } from '../../platform/text/count-of.ts';
import { type OpenedAudit, openAudit } from '../../records/audit/open.ts';
import { type AuditCheck, type AuditReading, exportAudit, verifyAudit } from '../../records/audit/verify.ts';

export function addAuditCommands(program: Command, cli: Cli): void {
  const audit = program.command('audit').description('The console’s audit log: verify, export');

  audit
    .command('verify')
    .description('Read the whole log and say whether every line and checkpoint is as it was written')
    .addHelpText('after', examples('limen audit verify'))
    .action(() => verify(cli));

  audit
    .command('export')
    .description(
      'Print the log as JSON lines, with the signed checkpoint after each day and the key to check them first',
    )
    .addHelpText('after', examples('limen audit export > audit.jsonl'))
    .action(async () => requireWhole(await read(cli, (reading) => exportAudit(reading, cli.terminal.print))));
}

async function verify(cli: Cli): Promise<void> {
  const { check, keyId } = await read(cli, async (reading) => ({
    check: await verifyAudit(reading),
    keyId: reading.checkpoints.keyId,
  }));
  requireWhole(check);
  const pruned =
    check.pruned === 0 ? '' : `; the lines of ${formatCount(check.pruned, 'earlier day')} are past their time`;
  cli.terminal.print(`Whole: ${formatCount(check.lines, 'line')} of ${formatCount(check.days, 'day')}${pruned}.`);
  cli.terminal.print(`Last hash ${check.hash}, checkpoint key ${keyId}.`);
}

function read<T>(cli: Cli, look: (reading: OpenedAudit & AuditReading) => Promise<T>): Promise<T> {
  return withContext(cli, ({ database, sealer }) =>
    look({ ...openAudit({ database, sealer, clock: cli.clock }), sealer }),
  );
}

function requireWhole(check: AuditCheck): asserts check is Extract<AuditCheck, { state: 'whole' }> {
  if (check.state === 'whole') return;
  const where = [check.day && `day ${check.day}`, check.line !== undefined && `line ${check.line}`].filter(Boolean);
  throw new CommandError(`The log is broken at ${where.join(', ')}: ${check.problem}.`);
}
