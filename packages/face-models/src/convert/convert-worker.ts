// Worker thread that converts a model, which takes about a second.
import { parentPort, workerData } from 'node:worker_threads';
import type { Conversion } from '../manifest.ts';
import { convertModel } from './convert-model.ts';

export interface ConvertRequest {
  conversion: Conversion;
  model: Uint8Array;
  /** Empty if the model contains them. */
  weights: Uint8Array;
}

export type ConvertAnswer = { content: Uint8Array } | { problem: string };

const { conversion, model, weights } = workerData as ConvertRequest;

function convert(): ConvertAnswer {
  try {
    return { content: convertModel(conversion, Buffer.from(model), Buffer.from(weights)) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

parentPort?.postMessage(convert());
