// The environment of every command, and the errors that end one.
import { text } from 'node:stream/consumers';
import { type Config, type Environment, loadConfig } from '../config.ts';
import { type Clock, systemClock } from '../platform/base/clock.ts';
import { createTerminal, type Terminal } from './terminal/terminal.ts';

export interface Cli {
  environment: Environment;
  clock: Clock;
  terminal: Terminal;
}

/** Ends the command with one sentence for the operator. `usage` means that the call itself was wrong. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly usage: boolean;

  constructor(sentence: string, { usage = false } = {}) {
    super(sentence);
    this.usage = usage;
  }
}

/** Ends a successful command with an exit code that reports its result. */
export class CommandExitError extends Error {
  override readonly name = 'CommandExitError';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super();
    this.exitCode = exitCode;
  }
}

/** Reads the server's configuration only when a command needs it, so that help works with a broken one. */
export function requireConfig({ environment }: Cli): Config {
  return loadConfig(environment);
}

export function examples(...lines: string[]): string {
  return `\nExample${lines.length === 1 ? '' : 's'}:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}

export function processCli(environment: Environment): Cli {
  // `limen keys list | head` closes the pipe early, which is not a failure.
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
