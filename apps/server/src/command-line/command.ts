// What every command is given, and how it refuses.
import { type Config, type Environment, loadConfig } from '../config.ts';
import type { Clock } from '../platform/base/clock.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface Cli {
  environment: Environment;
  clock: Clock;
  terminal: Terminal;
}

/** Ends the command with one sentence for the operator. `usage` says that the call itself was wrong. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly usage: boolean;

  constructor(sentence: string, { usage = false } = {}) {
    super(sentence);
    this.usage = usage;
  }
}

/** Ends the command well, with an exit code that tells what was found. */
export class CommandOutcome extends Error {
  override readonly name = 'CommandOutcome';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super();
    this.exitCode = exitCode;
  }
}

/** The server's own configuration, read only when a command needs it: help works with a broken one. */
export function configOf({ environment }: Cli): Config {
  return loadConfig(environment);
}

/** The text that `--help` of one command ends with. */
export function examples(...lines: string[]): string {
  return `\nExample${lines.length === 1 ? '' : 's'}:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}
