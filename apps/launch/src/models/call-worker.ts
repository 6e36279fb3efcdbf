// Asks the worker and matches its answers by id. A worker that dies answers nobody: all that wait hear of it at once.
import { type LoadErrorCode, ModelLoadError } from '../loading/load-error.ts';
import type { CallFailure, CallName, Calls, FromWorker, Notice } from './messages.ts';
import { wipe } from './wipe.ts';

/** The part of Worker that is used. */
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

export interface WorkerLine {
  isOpen(): boolean;
  /** Whether anything has come from it yet. */
  hasSpoken(): boolean;
  /** How often it has told of any progress: one that does is at work, also for whoever waits for a turn. */
  progress(): number;
  /** Tells the id too: later messages may refer to it. */
  call<Name extends CallName>(
    name: Name,
    request: Calls[Name]['request'],
    options?: CallOptions,
  ): { id: number; reply: Promise<Calls[Name]['reply']> };
  tell(notice: Notice): void;
  end(reason: Error): void;
}

interface PendingCall {
  name: CallName;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
  onProgress?: ((share: number) => void) | undefined;
}

export function connectWorker(worker: WorkerLike): WorkerLine {
  const waiting = new Map<number, PendingCall>();
  let ids = 0;
  let open = true;
  let heard = false;
  let progress = 0;
  /** Who asks later hears the same. */
  let whyGone: (name: CallName) => Error = () => new Error('The face worker is not running');

  function end(reasonOf: (name: CallName) => Error) {
    if (!open) return;
    open = false;
    whyGone = reasonOf;
    worker.terminate();
    for (const { name, reject } of waiting.values()) reject(reasonOf(name));
    waiting.clear();
  }

  function die() {
    // One that never said a word most likely could not be fetched.
    const code: LoadErrorCode = heard ? 'failed' : 'unstarted';
    end((name) => (name === 'load' ? new ModelLoadError(code) : new Error('The face worker stopped')));
  }

  worker.addEventListener('error', die);
  worker.addEventListener('messageerror', die);
  worker.addEventListener('message', ({ data }) => {
    heard = true;
    const message = data as FromWorker;
    if ('share' in message) progress += 1;
    const one = waiting.get(message.id);
    // Nobody waits for it any more, and it may be of a person.
    if (!one) return wipe(message);
    if ('share' in message) return one.onProgress?.(message.share);
    waiting.delete(message.id);
    if ('failure' in message) one.reject(toError(message.failure));
    else one.resolve(message.value);
  });

  return {
    isOpen: () => open,
    hasSpoken: () => heard,
    progress: () => progress,
    call(name, request, { transfer = [], onProgress } = {}) {
      ids += 1;
      const id = ids;
      const reply = new Promise<never>((resolve, reject) => {
        if (!open) return reject(whyGone(name));
        waiting.set(id, { name, resolve: resolve as (value: unknown) => void, reject, onProgress });
        worker.postMessage({ id, name, ...request }, transfer);
      });
      return { id, reply };
    },
    tell(notice) {
      if (open) worker.postMessage(notice, []);
    },
    end: (reason) => end(() => reason),
  };
}

function toError({ code, message }: CallFailure): Error {
  return code ? new ModelLoadError(code) : new Error(message);
}
