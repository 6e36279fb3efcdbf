// The key-holder as a thread of the service: answers its messages until it is told to end.
import { parentPort, workerData } from 'node:worker_threads';
import { describeForLog, StartError } from '../../platform/base/errors.ts';
import { createAnswerCall } from './answer-call.ts';
import { loadThresholds } from './compare.ts';
import type { FromWorker, WorkerSetup } from './link/worker.ts';
import { openService } from './open.ts';

const port = parentPort!;
const say = (message: FromWorker) => port.postMessage(message);

try {
  await serve(workerData as WorkerSetup);
} catch (error) {
  const sentence =
    error instanceof StartError
      ? error.message
      : `The key-holder does not start: ${JSON.stringify(describeForLog(error))}`;
  say({ kind: 'refused', sentence });
  process.exit(1);
}

async function serve(setup: WorkerSetup): Promise<void> {
  const { folder, masterKey, matchThreshold, budgets, auditDays, modelManifest } = setup;
  const warn = (sentence: string) => say({ kind: 'warning', sentence });
  const thresholdOf = await loadThresholds(matchThreshold, modelManifest);
  const service = await openService({
    place: { folder },
    masterKeys: [masterKey],
    thresholdOf,
    budgets,
    auditDays,
    warn,
  });
  const answer = createAnswerCall(service.calls, (facts, sentence) => say({ kind: 'failure', facts, sentence }));
  const underWay = new Set<Promise<void>>();
  port.on('message', async (message: Record<string, unknown> | null) => {
    if (message === null) {
      service.stop();
      await Promise.allSettled(underWay);
      await service.close();
      process.exit(0); // of the thread
    }
    const answered = (answer(message) ?? Promise.resolve(undefined)).then((reply) => {
      if (reply) say({ kind: 'reply', ...reply });
    });
    underWay.add(answered);
    await answered.finally(() => underWay.delete(answered));
  });
  say({ kind: 'ready' });
}
