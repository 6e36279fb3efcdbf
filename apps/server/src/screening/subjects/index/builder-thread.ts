// Thread that builds an index of subjects, and posts it back as shared memory.
import { parentPort } from 'node:worker_threads';
import { IndexBuilder, type ScreeningIndex, type Subject, toSubjectEntity } from '@limen/screening';

export type IndexedSubject = { id: string; subject: Subject };

export type BuilderOrder = { kind: 'add'; subjects: readonly IndexedSubject[] } | { kind: 'finish' };
export type BuilderReply = { kind: 'added' } | { kind: 'built'; index: ScreeningIndex };

const builder = new IndexBuilder();
const post = (message: BuilderReply) => parentPort?.postMessage(message);

parentPort?.on('message', (message: BuilderOrder) => {
  if (message.kind === 'finish') return post({ kind: 'built', index: builder.finish() });
  for (const { id, subject } of message.subjects) builder.add(toSubjectEntity(id, subject));
  post({ kind: 'added' });
});
