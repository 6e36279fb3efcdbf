// Builds an index of subjects in a thread of its own, so that the event loop stays free however many they are.
import { Worker } from 'node:worker_threads';
import type { ScreeningIndex } from '@limen/screening';
import { nameCompiledCode } from '../../../platform/base/compiled-code.ts';
import type { FromBuilder, IndexedSubject, ToBuilder } from './builder-thread.ts';

export interface SubjectIndexBuilder {
  /** Fulfilled when the thread has taken them, so that what waits for it is one page. */
  add(subjects: readonly IndexedSubject[]): Promise<void>;
  finish(): Promise<ScreeningIndex>;
  /** Ends the thread, whatever it is doing. */
  close(): Promise<void>;
}

export function createSubjectIndexBuilder(): SubjectIndexBuilder {
  // Nothing else of the environment: there are secrets in it, and the thread needs none of it.
  const options = { name: 'subjects', env: nameCompiledCode(), execArgv: [] };
  const worker = new Worker(new URL('./builder-thread.ts', import.meta.url), options);
  let waiting: PromiseWithResolvers<FromBuilder> | undefined;
  let failure: unknown;

  const fail = (error: unknown) => {
    failure ??= error;
    waiting?.reject(failure);
  };
  worker.on('message', (message: FromBuilder) => waiting?.resolve(message));
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('the thread that indexes subjects ended')));

  function ask(message: ToBuilder): Promise<FromBuilder> {
    waiting = Promise.withResolvers();
    if (failure) waiting.reject(failure);
    else worker.postMessage(message);
    return waiting.promise;
  }

  return {
    async add(subjects) {
      await ask({ kind: 'add', subjects });
    },
    async finish() {
      const answer = await ask({ kind: 'finish' });
      if (answer.kind !== 'built') throw new Error('the thread that indexes subjects gave no index');
      return answer.index;
    },
    async close() {
      await worker.terminate();
    },
  };
}
