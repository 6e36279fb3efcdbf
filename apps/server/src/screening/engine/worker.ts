// Worker thread of the screening pool, with indexes in shared memory.
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import {
  type ConcernedFinder,
  createConcernedFinder,
  createScreener,
  createTextSearch,
  indexGlued,
  type ScreeningIndex,
  SubjectScreener,
  type TextSearch,
} from '@limen/screening';
import { describeForLog } from '../../platform/base/errors.ts';
import { findConcerned, findEntity, findEntries, searchEntities, shortenEntity } from './find-entities.ts';
import { matchSome, type Screeners } from './match-subjects.ts';
import type { SubjectEditions, SubjectOutcome, Task, TaskResults, WorkerOrder, WorkerReply } from './messages.ts';
import { renderRecords, renderResults, screenRows } from './screen-rows.ts';

const BELOW_NORMAL = 5;

/** An index, and what is created from it at first use. An index of subjects has a finder per list. */
interface LoadedEdition {
  index: ScreeningIndex;
  screeners?: Screeners;
  textSearch?: TextSearch;
  finders: Map<number, ConcernedFinder>;
}

const editions = new Map<number, LoadedEdition>();
const encoder = new TextEncoder();

yieldToEventLoop();
parentPort?.on('message', (message: WorkerOrder) => {
  switch (message.kind) {
    case 'index':
      editions.set(message.edition.id, { index: message.edition.index, finders: new Map() });
      break;
    case 'forget':
      editions.delete(message.edition);
      break;
    case 'task':
      answer(message.task);
  }
});

function answer(task: Task): void {
  let reply: WorkerReply;
  try {
    reply = { kind: 'done', result: perform(task) };
  } catch (error) {
    reply = { kind: 'failed', failure: describeForLog(error) };
  }
  parentPort?.postMessage(reply, reply.kind === 'done' ? listBuffers(reply.result) : []);
}

function perform(task: Task): TaskResults[keyof TaskResults] {
  switch (task.kind) {
    case 'screen':
      return screenRows(task.bytes, task.plan, findScreeners, { from: task.from });
    case 'results':
      return encoder.encode(renderResults(task.bytes, task.plan, task.outcome));
    case 'records':
      return encoder.encode(renderRecords(task.bytes, task.plan, task.outcome, findScreeners));
    case 'match': {
      const outcomes = matchSome(task.subjects, task.plan, findScreeners);
      // Watched subjects need whole entries, so that any change is seen.
      return task.plan.byList ? outcomes : outcomes.map(shortenMatches);
    }
    case 'search': {
      const { entities, complete } = searchEntities(task.search, task.plan, (edition) => ({
        index: findIndex(edition),
        search: findTextSearch(edition),
      }));
      return { entities: entities.map(shortenEntity), complete };
    }
    case 'find':
      return findEntity(task.id, task.editions.map(findIndex));
    case 'entries':
      return findEntries(task.ids, task.editions.map(findIndex));
    case 'glue':
      return indexGlued(findIndex(task.subjects), findIndex(task.list), task.share, task.entities) ?? null;
    case 'concerned':
      return findConcerned(task.entities, task.plan, findConcernedFinder);
  }
}

function shortenMatches(outcome: SubjectOutcome): SubjectOutcome {
  return { ...outcome, matches: outcome.matches.map((match) => ({ ...match, entity: shortenEntity(match.entity) })) };
}

function findScreeners(edition: number): Screeners {
  const loaded = findEdition(edition);
  const { index } = loaded;
  const names = loaded.screeners?.names ?? createScreener(index);
  loaded.screeners ??= { index, names, subjects: new SubjectScreener(index, names) };
  return loaded.screeners;
}

function findTextSearch(edition: number): TextSearch {
  const loaded = findEdition(edition);
  loaded.textSearch ??= createTextSearch(loaded.index);
  return loaded.textSearch;
}

function findConcernedFinder({ all, glued }: SubjectEditions, list: number): ConcernedFinder {
  const { index, finders } = findEdition(all);
  const finder = finders.get(list) ?? createConcernedFinder(index, findIndex(list), glued.map(findIndex));
  finders.set(list, finder);
  return finder;
}

const findIndex = (edition: number): ScreeningIndex => findEdition(edition).index;

function findEdition(edition: number): LoadedEdition {
  const loaded = editions.get(edition);
  if (!loaded) throw new Error('the index was not handed over');
  return loaded;
}

function listBuffers(result: TaskResults[keyof TaskResults]): ArrayBuffer[] {
  if (result === null || !(result instanceof Uint8Array || 'scores' in result)) return [];
  const arrays = result instanceof Uint8Array ? [result] : Object.values(result).filter(ArrayBuffer.isView);
  return arrays.map(({ buffer }) => buffer as ArrayBuffer);
}

/** Lowers the priority of this thread on Linux, because workers on every core would delay the event loop and health checks. */
function yieldToEventLoop(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (thread > 0) setPriority(thread, BELOW_NORMAL);
  } catch {
    // Other systems have no priority per thread.
  }
}
