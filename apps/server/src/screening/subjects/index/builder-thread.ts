// The thread that builds an index of subjects; what it posts back is shared memory, not a copy.
import { parentPort } from 'node:worker_threads';
import { createIndexBuilder, subjectEntity } from '@limen/screening';
import type { FromBuilder, ToBuilder } from './builder.ts';

const builder = createIndexBuilder();
const post = (message: FromBuilder) => parentPort?.postMessage(message);

parentPort?.on('message', (message: ToBuilder) => {
  if (message.kind === 'finish') return post({ kind: 'built', index: builder.finish() });
  for (const { id, subject } of message.subjects) builder.add(subjectEntity(id, subject));
  post({ kind: 'added' });
});
