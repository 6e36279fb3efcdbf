// The key-holder as a thread of the service: answers its messages until it gets `null`.
import { parentPort, workerData } from 'node:worker_threads';
import { describeForLog, StartError } from '../../platform/base/errors.ts';
import { createAnswerCall } from './answer-call.ts';
import { loadThresholds } from './compare.ts';
import type { KeyHolderWorkerMessage, WorkerSetup } from './link/worker.ts';
import { openService } from './open.ts';

const port = parentPort!;
const send = (message: KeyHolderWorkerMessage) => port.postMessage(message);

try {
  await serve(workerData as WorkerSetup);
} catch (error) {
  const sentence =
    error instanceof StartError
      ? error.message
      : `The key-holder does not start: ${JSON.stringify(describeForLog(error))}`;
  send({ kind: 'refused', sentence });
  process.exit(1);
}

async function serve({ folder, masterKey, matchThreshold, modelManifest, ...options }: WorkerSetup): Promise<void> {
  const service = await openService({
    ...options,
    place: { folder },
    masterKeys: [masterKey],
    thresholdOf: await loadThresholds(matchThreshold, modelManifest),
    warn: (sentence) => send({ kind: 'warning', sentence }),
  });
  const answer = createAnswerCall(service.calls, (facts, sentence) => send({ kind: 'failure', facts, sentence }));
  const underWay = new Set<Promise<void>>();
  port.on('message', async (message: Record<string, unknown> | null) => {
    if (message === null) {
      service.stop();
      await Promise.allSettled(underWay);
      await service.close();
      process.exit(0); // ends only the thread
    }
    const answered = (answer(message) ?? Promise.resolve(undefined)).then((reply) => {
      if (reply) send({ kind: 'reply', ...reply });
    });
    underWay.add(answered);
    await answered.finally(() => underWay.delete(answered));
  });
  send({ kind: 'ready' });
}
