// The `limen` command: hands the process's arguments, environment and streams to the command-line interface.
import { text } from 'node:stream/consumers';
import { systemClock } from '../platform/clock.ts';
import { runCli } from './run-cli.ts';
import { createTerminal } from './terminal/terminal.ts';

// `limen keys list | head` closes the pipe early, which is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.exitCode = 1;
});

process.umask(0o077); // what is written here is for this user only
process.exitCode = await runCli(process.argv.slice(2), {
  environment: process.env,
  clock: systemClock,
  terminal: createTerminal({
    out: process.stdout,
    err: process.stderr,
    colour: process.stdout.isTTY && !process.env['NO_COLOR'],
    isScreen: process.stdout.isTTY,
    readInput() {
      if (process.stdin.isTTY) process.stderr.write('Type it, then press Enter and Ctrl-D: ');
      return text(process.stdin);
    },
  }),
});
