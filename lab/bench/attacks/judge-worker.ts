// Plays and judges one sitting after the other, in a thread of its own.
import { parentPort } from 'node:worker_threads';
import { judgeSitting, type Sitting } from './sittings.ts';

parentPort?.on('message', (sitting: Sitting) => parentPort?.postMessage(judgeSitting(sitting)));
