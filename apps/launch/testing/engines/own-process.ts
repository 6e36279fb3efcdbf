// A program that a test started, with everything that it starts in turn; none of it outlives the test.
import { type ChildProcess, spawn } from 'node:child_process';

export interface OwnProcess {
  child: ChildProcess;
  stop(): Promise<void>;
}

export function startOwn(program: string, args: string[], environment: NodeJS.ProcessEnv = {}): OwnProcess {
  // A group of its own, which can be ended as a whole.
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...environment },
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  const kill = () => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Gone already.
    }
  };
  process.once('exit', kill);
  return {
    child,
    async stop() {
      kill();
      await ended;
      process.off('exit', kill);
    },
  };
}
