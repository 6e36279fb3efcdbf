// The `limen` command: hands the process's arguments, environment and streams to the command-line interface.
import { processCli } from './command-line/command.ts';
import { runCli } from './commands.ts';

process.exitCode = await runCli(process.argv.slice(2), processCli(process.env));
