// The real worker with fault injection: certain words in rows and subjects crash it, keep it busy
// or hang it.
import { parentPort, Worker } from 'node:worker_threads';
import { nameCompiledCode } from '../../src/platform/base/compiled-code.ts';
import type { Task, WorkerOrder } from '../../src/screening/engine/messages.ts';

export const CRASH = 'crash-this-worker';
export const HOLD = 'hold-this-worker';
export const STALL = 'stall-this-worker';
const HOLD_MS = 40;

export function startOddWorker(): Worker {
  return new Worker(new URL(import.meta.url), { env: nameCompiledCode(), execArgv: [] });
}

const port = parentPort;
if (port) {
  const listen = port.on.bind(port);
  port.on = ((event: string, handle: (message: WorkerOrder) => void) =>
    listen(event, (message: WorkerOrder) => {
      if (event === 'message') misbehave(message);
      handle(message);
    })) as typeof port.on;
  await import(new URL('../../src/screening/engine/worker.ts', import.meta.url).href);
}

function misbehave(message: WorkerOrder): void {
  if (message.kind !== 'task') return;
  const text = readText(message.task);
  if (text.includes(CRASH)) process.exit(7);
  if (text.includes(HOLD)) blockThread(HOLD_MS);
  if (text.includes(STALL)) blockThread(); // Hangs without using the CPU.
}

function readText(task: Task): string {
  if (task.kind === 'match') return JSON.stringify(task.subjects);
  return task.kind === 'screen' ? new TextDecoder().decode(task.bytes) : '';
}

function blockThread(ms?: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
