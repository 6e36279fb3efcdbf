// The command line of this process.
import { text } from 'node:stream/consumers';
import type { Environment } from '../config.ts';
import { systemClock } from '../platform/base/clock.ts';
import type { Cli } from './command.ts';
import { createTerminal } from './terminal/terminal.ts';

export function processCli(environment: Environment): Cli {
  // `limen keys list | head` closes the pipe early, which is no failure of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = 1;
  });
  process.umask(0o077); // files that a command writes are for this user only
  const terminal = createTerminal({
    out: process.stdout,
    err: process.stderr,
    colour: process.stdout.isTTY && !environment['NO_COLOR'],
    isScreen: process.stdout.isTTY,
    readInput() {
      if (process.stdin.isTTY) process.stderr.write('Type it, then press Enter and Ctrl-D: ');
      return text(process.stdin);
    },
  });
  return { environment, clock: systemClock, terminal };
}
