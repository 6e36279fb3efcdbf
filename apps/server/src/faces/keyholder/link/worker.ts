// The key-holder as a worker thread of this process: started on first use, and restarted if it dies.
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { nameCompiledCode } from '../../../platform/base/compiled-code.ts';
import { StartError } from '../../../platform/base/errors.ts';
import type { BudgetsPerHour } from '../limits.ts';
import { KeyHolderUnavailableError } from './calls.ts';
import { createBackoff, createPendingCalls, type FindProblem } from './link.ts';
import type { CallName, CallRequest, ReplyMessage } from './messages.ts';

export interface WorkerSetup {
  folder: string;
  masterKey: Uint8Array;
  matchThreshold: number | undefined;
  budgets?: BudgetsPerHour | undefined;
  auditDays?: number | undefined;
  modelManifest: string | undefined;
}

export type KeyHolderWorkerMessage =
  | { kind: 'ready' }
  | { kind: 'refused'; sentence: string }
  | { kind: 'warning'; sentence: string }
  | { kind: 'failure'; facts: object; sentence: string }
  | ({ kind: 'reply' } & ReplyMessage);

/** `entry`: file that the thread runs. The key-holder's code is above this folder, so the caller names it. */
export function createWorkerLink(
  { entry, setup, findProblem }: { entry: URL; setup: WorkerSetup; findProblem?: FindProblem | undefined },
  log: Logger,
) {
  const pending = createPendingCalls();
  const backoff = createBackoff();
  let worker: Worker | undefined;
  let starting: Promise<Worker> | undefined;
  let state = 'ready'; // to be started
  let restart: NodeJS.Timeout | undefined;
  let isClosed = false;

  function start(): Promise<Worker> {
    starting ??= launch().finally(() => {
      starting = undefined;
    });
    return starting;
  }

  function launch(): Promise<Worker> {
    // The thread needs only the path of compiled code from the environment.
    const thread = new Worker(entry, { workerData: setup, execArgv: [], env: nameCompiledCode(), name: 'key-holder' });
    return new Promise((resolve, reject) => {
      let sentence: string | undefined;
      thread.on('message', (message: KeyHolderWorkerMessage) => {
        if (message.kind === 'reply') pending.take({ ...message });
        else if (message.kind === 'warning') log.warn(message.sentence);
        else if (message.kind === 'failure') log.error(message.facts, message.sentence);
        else if (message.kind === 'refused') sentence = message.sentence;
        else {
          worker = thread;
          state = 'ready';
          backoff.reset();
          resolve(thread);
          if (findProblem) {
            const hello = ask(thread, 'hello', {});
            hello.then(({ blobs }) => findProblem(blobs[0]!)).catch(() => {}); // the next challenge retries
          }
        }
      });
      thread.on('error', (error: NodeJS.ErrnoException) => log.error({ error: error.name }, 'the key-holder failed'));
      thread.on('exit', () => {
        worker = undefined;
        state = isClosed ? 'closed' : (sentence ?? 'the key-holder ended and is starting again');
        if (!isClosed) restart = setTimeout(startAgain, backoff.next()).unref();
        pending.failAll(state);
        reject(sentence === undefined ? new KeyHolderUnavailableError(state) : new StartError(sentence));
      });
    });
  }

  const ask = <C extends CallName>(thread: Worker, call: C, body: CallRequest<C>, blobs: readonly Uint8Array[] = []) =>
    pending.open(call, (id) => thread.postMessage({ id, call, ask: body, blobs: blobs.map(trimBuffer) }));

  function startAgain(): void {
    restart = undefined;
    start().then(
      () => log.info('the key-holder runs again'),
      () => {}, // the exit handler has scheduled the next attempt
    );
  }

  async function ready(): Promise<Worker> {
    if (isClosed) throw new KeyHolderUnavailableError('closed');
    if (worker) return worker;
    if (restart) throw new KeyHolderUnavailableError(state);
    try {
      return await start();
    } catch (error) {
      throw error instanceof KeyHolderUnavailableError ? error : new KeyHolderUnavailableError(state, { cause: error });
    }
  }

  return {
    get thread() {
      return worker;
    },
    warm: () =>
      void ready().catch((error: Error) => log.error({ reason: error.message }, 'the key-holder did not start')),
    call: async <C extends CallName>(call: C, body: CallRequest<C>, blobs?: readonly Uint8Array[]) =>
      ask(worker ?? (await ready()), call, body, blobs),
    state: () => state,
    async close() {
      isClosed = true;
      clearTimeout(restart);
      const thread = worker ?? (await starting?.catch(() => undefined));
      if (!thread) return;
      const ended = new Promise((resolve) => thread.once('exit', resolve));
      thread.postMessage(null);
      await ended;
    },
  };
}

/** Copies a view: sent to a thread, it would take its whole buffer along. Shared memory is not copied when it is sent. */
function trimBuffer(blob: Uint8Array): Uint8Array {
  return blob.buffer instanceof SharedArrayBuffer || blob.byteLength === blob.buffer.byteLength ? blob : blob.slice();
}
