// Processes of a cluster: start, kill and restart on the same port, with logs in files.
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ProcessPlan {
  name: string;
  command: string;
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** Runs as another user. */
  identity?: { uid: number; gid: number } | undefined;
  /** Log line that means ready. Without it, `isReady` decides. */
  says?: RegExp;
  isReady?(): Promise<boolean>;
}

export interface Member {
  readonly name: string;
  readonly logFile: string;
  /** Prefixed by another program if given, such as `faketime`. */
  start(prefix?: readonly string[]): Promise<void>;
  /** Resolves when it has exited. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** As by an operator, and by force if that takes too long. */
  stop(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  isRunning(): boolean;
  pid(): number | undefined;
}

const START_MS = 60_000;
const STOP_MS = 5_000;
const LOOK_MS = 50;

export function createMember(plan: ProcessPlan, folder: string): Member {
  const { name, command, args, environment, identity, says, isReady } = plan;
  const logFile = join(folder, `${name}.log`);
  let child: ChildProcess | undefined;
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;

  async function start(prefix: readonly string[] = []): Promise<void> {
    const [program, ...rest] = [...prefix, command, ...args];
    const started = spawn(program!, rest, { env: { ...environment }, cwd: folder, ...identity });
    child = started;
    let output = '';
    const log = createWriteStream(logFile, { flags: 'a' });
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        if (says) output += chunk;
        log.write(chunk);
      });
    }
    started.once('close', () => log.end());
    const until = performance.now() + START_MS;
    while (!(says ? says.test(output) : await isReady!())) {
      if (!isRunning()) throw new Error(`${name} ended at once: ${readFileSync(logFile, 'utf8').slice(-2_000)}`);
      if (performance.now() > until) throw new Error(`${name} was not ready within a minute`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!isRunning()) return;
    const ended = new Promise((resolve) => child!.once('exit', resolve));
    child!.kill(signal);
    await ended;
  }

  return {
    name,
    logFile,
    start,
    isRunning,
    pid: () => child?.pid,
    end,
    signal: (signal) => void child?.kill(signal),
    async stop() {
      const force = setTimeout(() => child?.kill('SIGKILL'), STOP_MS);
      await end('SIGTERM');
      clearTimeout(force);
    },
  };
}
