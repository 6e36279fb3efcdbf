// Calls the worker and matches its replies by id. When a worker dies, all pending calls fail at
// once.
import { type LoadErrorCode, ModelLoadError } from '../loading/load-error.ts';
import type { CallFailure, CallName, Calls, FromWorker, Notice } from './messages.ts';
import { wipe } from './wipe.ts';

/** Subset of Worker used here. */
export interface WorkerLike {
  postMessage(message: unknown, transfer: Transferable[]): void;
  addEventListener(name: 'message', take: (event: { data: unknown }) => void): void;
  addEventListener(name: 'error' | 'messageerror', take: () => void): void;
  terminate(): void;
}

export interface CallOptions {
  transfer?: Transferable[];
  onProgress?: ((share: number) => void) | undefined;
}

export interface WorkerConnection {
  isOpen(): boolean;
  hasReported(): boolean;
  /** Number of progress messages, which show that a worker is alive. */
  progress(): number;
  /** Returns the call's id, because later messages may refer to it. */
  call<Name extends CallName>(
    name: Name,
    request: Calls[Name]['request'],
    options?: CallOptions,
  ): { id: number; reply: Promise<Calls[Name]['reply']> };
  notify(notice: Notice): void;
  end(reason: Error): void;
}

interface PendingCall {
  name: CallName;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
  onProgress?: ((share: number) => void) | undefined;
}

export function connectWorker(worker: WorkerLike): WorkerConnection {
  const waiting = new Map<number, PendingCall>();
  let ids = 0;
  let open = true;
  let heard = false;
  let progress = 0;
  /** Also used for calls made after the end. */
  let createEndError: (name: CallName) => Error = () => new Error('The face worker is not running');

  function end(createError: (name: CallName) => Error) {
    if (!open) return;
    open = false;
    createEndError = createError;
    worker.terminate();
    for (const { name, reject } of waiting.values()) reject(createError(name));
    waiting.clear();
  }

  function die() {
    // A worker that never sent a message most likely could not be fetched.
    const code: LoadErrorCode = heard ? 'failed' : 'unstarted';
    end((name) => (name === 'load' ? new ModelLoadError(code) : new Error('The face worker stopped')));
  }

  worker.addEventListener('error', die);
  worker.addEventListener('messageerror', die);
  worker.addEventListener('message', ({ data }) => {
    heard = true;
    const message = data as FromWorker;
    if ('share' in message) progress += 1;
    const pending = waiting.get(message.id);
    // No caller waits for the reply any longer, and it may contain personal data.
    if (!pending) return wipe(message);
    if ('share' in message) return pending.onProgress?.(message.share);
    waiting.delete(message.id);
    if ('failure' in message) pending.reject(toError(message.failure));
    else pending.resolve(message.value);
  });

  return {
    isOpen: () => open,
    hasReported: () => heard,
    progress: () => progress,
    call(name, request, { transfer = [], onProgress } = {}) {
      ids += 1;
      const id = ids;
      const reply = new Promise<never>((resolve, reject) => {
        if (!open) return reject(createEndError(name));
        waiting.set(id, { name, resolve: resolve as (value: unknown) => void, reject, onProgress });
        worker.postMessage({ id, name, ...request }, transfer);
      });
      return { id, reply };
    },
    notify(notice) {
      if (open) worker.postMessage(notice, []);
    },
    end: (reason) => end(() => reason),
  };
}

function toError({ code, message }: CallFailure): Error {
  return code ? new ModelLoadError(code) : new Error(message);
}
