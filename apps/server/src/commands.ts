// The tree of commands with its help texts, and the runner of a command.
import { Command, CommanderError } from 'commander';
import { type Cli, CommandError, CommandExitError, examples } from './command-line/command.ts';
import { describeFailure } from './command-line/terminal/describe-failure.ts';
import { VERSION } from './platform/base/version.ts';

const EXIT_USAGE = 2;

type AddCommands = (program: Command, cli: Cli) => unknown;

/** Loaded on demand: loading all modules takes longer than most commands. */
const GROUPS: ReadonlyMap<string, () => Promise<AddCommands>> = new Map([
  ['keys', loadKeys],
  ['age-keys', async () => (await import('./sessions/cli/age-keys.ts')).addAgeKeysCommands],
  ['operators', async () => (await import('./console/account/operators-cli.ts')).addOperatorsCommands],
  ['audit', async () => (await import('./console/audit/cli.ts')).addAuditCommands],
  ['datasets', async () => (await import('./screening/cli/datasets/group.ts')).addDatasetsCommands],
  ['screen', async () => (await import('./screening/cli/screen.ts')).addScreenCommand],
  ['match', async () => (await import('./screening/cli/match.ts')).addMatchCommand],
  ['people', loadPeople],
  ['subjects', async () => (await import('./screening/cli/subjects/group.ts')).addSubjectsCommands],
  ['trust', async () => (await import('./sessions/cli/trust/group.ts')).addTrustCommands],
  ['listen', async () => (await import('./webhooks/cli.ts')).addListenCommand],
  ['doctor', async () => (await import('./operations/doctor/command.ts')).addDoctorCommand],
  ['clock', async () => (await import('./operations/clock.ts')).addClockCommands],
  ['jobs', async () => (await import('./operations/jobs.ts')).addJobsCommands],
  ['migrate', async () => (await import('./operations/migrate.ts')).addMigrateCommand],
  ['signing-keys', async () => (await import('./signing/cli.ts')).addSigningKeysCommands],
  ['master-key', async () => (await import('./operations/data-keys/master-key-cli.ts')).addMasterKeyCommands],
  ['keyholder', async () => (await import('./faces/cli/keyholder.ts')).addKeyHolderCommands],
  ['backup', async () => (await import('./operations/backup/take-command.ts')).addBackupCommand],
  ['restore', async () => (await import('./operations/backup/restore-command.ts')).addRestoreCommand],
]);

/** Adds all commands, or only the group that `called` names. */
export async function createProgram(cli: Cli, called?: string): Promise<Command> {
  const program = newProgram('limen', cli)
    .description('Manages a Limen server. It reads the same settings and works whether or not the server is running.')
    .version(VERSION, '--version', 'show the version')
    .helpCommand('help [command]', 'show help for a command')
    .showHelpAfterError('(add --help to see the commands and options)')
    .addHelpText('after', examples('limen keys create --label "Web shop"', 'limen doctor', 'limen keys create --help'));
  const group = GROUPS.get(called ?? '');
  for (const load of group ? [group] : GROUPS.values()) {
    const addCommands = await load();
    addCommands(program, cli);
  }
  return program;
}

export function newProgram(name: string, { terminal }: Cli): Command {
  return new Command(name)
    .helpOption('-h, --help', 'show help')
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.complain(text.trimEnd()),
    })
    .exitOverride();
}

async function loadKeys(): Promise<AddCommands> {
  const [{ addKeysCommands }, { addKeysRotateEnroll }, { addKeysRotateData }] = await Promise.all([
    import('./console/api-keys/cli.ts'),
    import('./faces/cli/rotate-enrol.ts'),
    import('./operations/data-keys/cli.ts'),
  ]);
  return (program, cli) => {
    const keys = addKeysCommands(program, cli);
    addKeysRotateEnroll(keys, cli);
    addKeysRotateData(keys, cli);
  };
}

async function loadPeople(): Promise<AddCommands> {
  const [{ addPeopleCommands }, { forgetSessionsOfPerson: forget }, { countProofs }] = await Promise.all([
    import('./faces/cli/people/group.ts'),
    import('./sessions/host/forget-person.ts'),
    import('./sessions/proofs/count-proofs.ts'),
  ]);
  return (program, cli) => addPeopleCommands(program, cli, { forget, countProofs });
}

/** Resolves with the exit code: 0 done, 1 failed, 2 wrong usage; commands may have further codes. */
export async function runCli(args: readonly string[], cli: Cli): Promise<number> {
  const program = await createProgram(cli, args[0]);
  if (args.length === 0) {
    program.outputHelp();
    return 0;
  }
  return runProgram(program, args, cli);
}

export async function runProgram(program: Command, args: readonly string[], cli: Cli): Promise<number> {
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has printed its message already. Help and version also end here.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    if (error instanceof CommandExitError) return error.exitCode;
    cli.terminal.complain(describeFailure(error));
    return error instanceof CommandError && error.usage ? EXIT_USAGE : 1;
  }
}
