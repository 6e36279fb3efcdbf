// The `limen` command: hands the process's arguments, environment and streams to the command-line interface.
import { processCli } from './process-cli.ts';
import { runCli } from './program.ts';

process.exitCode = await runCli(process.argv.slice(2), processCli(process.env));
