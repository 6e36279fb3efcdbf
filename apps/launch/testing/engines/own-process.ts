// A process started by a test, stopped with all its children.
import { type ChildProcess, spawn } from 'node:child_process';

export interface ManagedProcess {
  child: ChildProcess;
  stop(): Promise<void>;
}

export function startProcess(program: string, args: string[], environment: NodeJS.ProcessEnv = {}): ManagedProcess {
  // A separate process group that can be killed as a whole.
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
      // Already gone.
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
