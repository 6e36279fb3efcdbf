// Measured throughput of one to three processes of a cluster. lab/bench/cluster/figures.json has
// the last run of `npm run bench:cluster`.

export interface ProcessFigures {
  processes: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU milliseconds of one operation, by part. */
  serviceMs: number;
  databaseMs: number;
  otherMs: number;
  /** Cores used by other processes in the meantime. */
  foreignCores: number;
}

export interface ClusterFigures {
  measuredOn: string;
  cores: number;
  callsAtOnce: number;
  loads: { name: string; figures: ProcessFigures[] }[];
}

export const CLUSTER_FIGURES_FILE = 'lab/bench/cluster/figures.json';
