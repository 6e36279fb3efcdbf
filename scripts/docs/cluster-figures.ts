// What one to three processes of a cluster carry, as measured; lab/bench/cluster/figures.json holds the last run of `npm run bench:cluster`.

export interface ProcessFigures {
  processes: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Processor milliseconds of one, by part. */
  serviceMs: number;
  databaseMs: number;
  otherMs: number;
  /** How much of the machine others used meanwhile, in cores. */
  foreignCores: number;
}

export interface ClusterFigures {
  measuredOn: string;
  cores: number;
  callsAtOnce: number;
  loads: { name: string; figures: ProcessFigures[] }[];
}

export const CLUSTER_FIGURES_FILE = 'lab/bench/cluster/figures.json';
