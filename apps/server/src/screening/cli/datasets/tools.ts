// What a command that loads lists works with: folder, network, progress, and an end on Ctrl-C that leaves nothing behind.

import { type Cli, CommandFailure, configOf } from '../../../command-line/command.ts';
import { type Progress, type ProgressState, progressOnTerminal } from '../../../command-line/terminal/progress.ts';
import { createListOutbound } from '../../../platform/outbound/lists.ts';
import { countEntities } from '../../../platform/text/count-of.ts';
import { DatasetError } from '../../lists/folder/error.ts';
import { createDatasetFolder } from '../../lists/folder/folder.ts';
import type { SyncStep } from '../../lists/sync/files.ts';
import { sentenceOf } from '../../lists/sync/sentence.ts';
import type { DatasetTools, SyncOptions } from '../../lists/sync/sync.ts';
import { printProblems } from './print.ts';

export async function withDatasetTools<T>(
  cli: Cli,
  { force = false, problems: all = false }: { force?: boolean; problems?: boolean },
  work: (tools: DatasetTools, sync: SyncOptions & { signal: AbortSignal }, progress: Progress) => Promise<T>,
): Promise<T> {
  const { DATA_DIR } = configOf(cli);
  const outbound = createListOutbound();
  const progress = progressOnTerminal();
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  // Once: whoever presses Ctrl-C a second time means it.
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const { signal } = interrupted;
  const sync = { force, signal, onStep: (step: SyncStep) => progress.show(describeStep(step)) };
  try {
    return await work({ folder: createDatasetFolder(DATA_DIR), outbound, clock: cli.clock }, sync, progress);
  } catch (error) {
    progress.clear();
    if (signal.aborted) throw new CommandFailure('Stopped. What was there before is unchanged.');
    if (error instanceof DatasetError) {
      const problems = printProblems({ problems: error.problems }, { all });
      if (problems !== undefined) cli.terminal.complain(problems);
    }
    throw asCommandFailure(error);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    await outbound.close();
  }
}

/** Refusals that are sentences for the operator; everything else is told by its code. */
export function asCommandFailure(error: unknown): unknown {
  const sentence = sentenceOf(error);
  return sentence === undefined ? error : new CommandFailure(sentence);
}

function describeStep(step: SyncStep): ProgressState {
  if (step.step === 'download') {
    return { label: `Fetching ${step.file}`, done: step.received, total: step.expected, unit: 'bytes' };
  }
  const { bytesRead, bytesTotal, entities } = step;
  // When all of it is read, the index takes a moment more.
  const label = bytesRead < bytesTotal ? 'Reading' : 'Indexing';
  return { label, done: bytesRead, total: bytesTotal, unit: 'bytes', note: countEntities(entities) };
}
