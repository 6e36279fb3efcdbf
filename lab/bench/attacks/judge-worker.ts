// A thread that plays and judges sittings.
import { parentPort } from 'node:worker_threads';
import { judgeSitting, type Sitting } from './sittings.ts';

parentPort?.on('message', (sitting: Sitting) => parentPort?.postMessage(judgeSitting(sitting)));
