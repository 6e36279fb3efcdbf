import { Worker } from 'node:worker_threads';
import type { ConvertAnswer, ConvertRequest } from './convert-worker.ts';

export async function convertAside(request: ConvertRequest, signal?: AbortSignal): Promise<Uint8Array> {
  const worker = new Worker(new URL('./convert-worker.ts', import.meta.url), {
    name: 'convert model',
    workerData: request,
    env: {},
    execArgv: [],
  });
  const stop = () => void worker.terminate();
  signal?.addEventListener('abort', stop);
  try {
    const answer = await new Promise<ConvertAnswer>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('the conversion was aborted')));
    });
    if ('problem' in answer) throw new Error(answer.problem);
    return answer.content;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
