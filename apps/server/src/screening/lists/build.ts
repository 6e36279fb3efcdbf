// Builds an index in a worker thread, so that a long list does not block the event loop.
import { Worker } from 'node:worker_threads';
import type { BuildMessage, BuildProgress, BuildRequest } from './build-worker.ts';
import type { BuildSummary } from './folder/info.ts';

/** Leaves out the worker's own message, which may quote the list. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
  readonly code: string | undefined;

  constructor(sentence: string, code?: string) {
    super(sentence);
    this.code = code;
  }
}

export async function buildDataset(
  request: BuildRequest,
  { onProgress, signal }: { onProgress?: (progress: BuildProgress) => void; signal?: AbortSignal | undefined } = {},
): Promise<BuildSummary> {
  signal?.throwIfAborted();
  const worker = new Worker(new URL('./build-worker.ts', import.meta.url), { workerData: request });
  const stop = () => void worker.terminate();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await new Promise<BuildSummary>((resolve, reject) => {
      worker.on('message', (message: BuildMessage) => {
        if (message.type === 'progress') onProgress?.(message);
        else if (message.type === 'built') resolve(message);
        else reject(new BuildError(`The list could not be read (${message.code ?? message.name}).`, message.code));
      });
      worker.on('error', (error: NodeJS.ErrnoException) => {
        const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        const sentence = isTooLarge ? 'The list does not fit into memory.' : 'The list could not be built.';
        reject(new BuildError(sentence, error.code));
      });
      worker.on('exit', () => reject(signal?.aborted ? signal.reason : new BuildError('The list could not be built.')));
    });
  } finally {
    signal?.removeEventListener('abort', stop);
    await worker.terminate();
  }
}
