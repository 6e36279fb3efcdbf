// Runs one command and turns whatever goes wrong into a sentence on standard error and an exit code.
import { type Command, CommanderError } from 'commander';
import { type Cli, CommandFailure, CommandOutcome } from './command.ts';
import { createProgram } from './program.ts';
import { describeFailure } from './terminal/describe-failure.ts';

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

/** Resolves with the exit code: 0 done, 1 failed, 2 called wrongly; further ones are a command's own. */
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
    // Commander has already said what it had to say; help and version also arrive here.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    if (error instanceof CommandOutcome) return error.exitCode;
    cli.terminal.complain(describeFailure(error));
    return error instanceof CommandFailure && error.usage ? EXIT_USAGE : EXIT_FAILURE;
  }
}
