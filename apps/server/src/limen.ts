// The `limen` command: runs the command-line interface in this process.
import { processCli } from './command-line/command.ts';
import { runCli } from './commands.ts';

process.exitCode = await runCli(process.argv.slice(2), processCli(process.env));
