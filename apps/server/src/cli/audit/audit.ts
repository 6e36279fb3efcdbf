// `limen audit`: checks and exports the record of what operators did in the console.
import type { Command } from 'commander';
import { openAudit } from '../../core/audit/open-audit.ts';
import { type AuditCheck, type AuditReader, verifyAudit } from '../../core/audit/verify-audit.ts';
import { type Cli, CommandFailure, examples } from '../command.ts';
import { withContext } from '../open-context.ts';

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
    .action(() => exportLog(cli));
}

async function verify(cli: Cli): Promise<void> {
  const { check, keyId } = await read(cli, () => ({}));
  requireWhole(check);
  const pruned = check.pruned === 0 ? '' : `; the lines of ${check.pruned} earlier days are past their time`;
  cli.terminal.print(`Whole: ${check.lines} lines of ${check.days} days${pruned}.`);
  cli.terminal.print(`Last hash ${check.hash}, checkpoint key ${keyId}.`);
}

async function exportLog(cli: Cli): Promise<void> {
  const { print } = cli.terminal;
  const { check } = await read(cli, (publicKey) => {
    print(JSON.stringify({ publicKey }));
    return {
      onLine: print,
      onDay: ({ signature, ...checkpoint }) =>
        print(JSON.stringify({ checkpoint, signature: Buffer.from(signature).toString('base64') })),
    };
  });
  requireWhole(check);
}

function read(cli: Cli, readerFor: (publicKey: string) => AuditReader): Promise<{ check: AuditCheck; keyId: string }> {
  return withContext(cli, async ({ database, sealer }) => {
    const { store, checkpoints } = openAudit({ database, sealer, clock: cli.clock });
    const check = await verifyAudit({ store, checkpoints, sealer }, readerFor(checkpoints.publicKey));
    return { check, keyId: checkpoints.keyId };
  });
}

function requireWhole(check: AuditCheck): asserts check is Extract<AuditCheck, { state: 'whole' }> {
  if (check.state === 'whole') return;
  const where = [check.day && `day ${check.day}`, check.line !== undefined && `line ${check.line}`].filter(Boolean);
  throw new CommandFailure(`The log is broken at ${where.join(', ')}: ${check.problem}.`);
}
