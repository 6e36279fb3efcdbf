// How much a worker does in one go: what a task is made of is cut by its size, which says nothing of what searching for it costs.
import type { FindScreeners } from './match-subjects.ts';

/** In the unit of `Screener.spent`: a fraction of a second. Ordinary rows and subjects cost less than that all together. */
const TASK_EFFORT = 1_000_000;

/** Whether the searches of this task have cost so much that others should have their turn. */
export function watchEffort(editions: readonly number[], find: FindScreeners, most = TASK_EFFORT): () => boolean {
  const spent = () => editions.reduce((sum, edition) => sum + find(edition).names.spent, 0);
  const before = spent();
  return () => spent() - before >= most;
}
