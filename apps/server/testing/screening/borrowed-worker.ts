// Reusable screening threads, because starting one takes a fifth of a second of CPU time.
import { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import { nameCompiledCode } from '../../src/platform/base/compiled-code.ts';
import type { WorkerOrder, WorkerReply } from '../../src/screening/engine/messages.ts';

const free: Worker[] = [];

/**
 * Returns a real thread. If the pool ends it while idle, it drops its indexes and serves the next
 * test.
 */
export function borrowWorker(): Worker {
  const thread =
    free.pop() ??
    new Worker(new URL('../../src/screening/engine/worker.ts', import.meta.url), {
      env: nameCompiledCode(),
      execArgv: [],
    });
  const events = new EventEmitter();
  const known = new Set<number>();
  let tasks = 0;
  thread.ref();
  thread.on('message', (message: WorkerReply) => {
    tasks -= 1;
    events.emit('message', message);
  });
  for (const event of ['error', 'exit']) thread.on(event, (cause) => events.emit(event, cause));

  function postMessage(message: WorkerOrder, transfer: ArrayBuffer[]): void {
    if (message.kind === 'task') tasks += 1;
    if (message.kind === 'index') known.add(message.edition.id);
    thread.postMessage(message, transfer);
  }

  async function terminate(): Promise<void> {
    if (tasks > 0) return void (await thread.terminate());
    for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event);
    for (const edition of known) thread.postMessage({ kind: 'forget', edition });
    thread.unref();
    free.push(thread);
  }

  return Object.assign(events, { postMessage, terminate }) as unknown as Worker;
}
