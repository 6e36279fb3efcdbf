// Programs of a cluster: found on the machine, or installed if possible.
import { provideRequirement, sayLeftOut } from '../../scripts/bring-up.ts';
import type { ClusterPrograms } from './start-cluster.ts';

/** Or the line that explains what is skipped without one. */
export function findClusterPrograms(what = 'the cluster'): { programs: ClusterPrograms } | { lack: string } {
  const found: Partial<ClusterPrograms> = {};
  for (const thing of ['postgres', 'pgbouncer', 'haproxy'] as const) {
    const program = provideRequirement(thing);
    if (program === undefined) return { lack: sayLeftOut(what, thing) };
    found[thing] = program;
  }
  return { programs: found as ClusterPrograms };
}
