// The thread that converts one model: it takes a second, which whoever asked should not stand still for.
import { parentPort, workerData } from 'node:worker_threads';
import type { ConvertAnswer, ConvertRequest } from './convert-aside.ts';
import { convertModel } from './convert-model.ts';

const { conversion, model, weights } = workerData as ConvertRequest;

function convert(): ConvertAnswer {
  try {
    return { content: convertModel(conversion, Buffer.from(model), Buffer.from(weights)) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

parentPort?.postMessage(convert());
