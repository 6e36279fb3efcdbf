// Jobs by kind with one number per state.
import type { JobStore } from './store.ts';

export interface JobCounts {
  kind: string;
  ready: number;
  running: number;
  dead: number;
}

export async function countJobs(jobs: Pick<JobStore, 'countByState'>): Promise<JobCounts[]> {
  const byKind = new Map<string, JobCounts>();
  for (const { kind, state, count } of await jobs.countByState()) {
    const counts = byKind.get(kind) ?? { kind, ready: 0, running: 0, dead: 0 };
    counts[state] += count;
    byKind.set(kind, counts);
  }
  return [...byKind.values()].sort((a, b) => (a.kind < b.kind ? -1 : 1));
}
