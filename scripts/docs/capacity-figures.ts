// Measured cost of one operation. lab/bench/capacity/figures.json holds the last run, and
// docs/reference/capacity.md is written from it.

export interface OperationCost {
  name: string;
  /** What one of them is. */
  what: string;
  count: number;
  /** Processor time of the service and of PostgreSQL. */
  serviceMs: number;
  databaseMs: number;
  /** Over HTTP, headers included; webhooks aside. */
  bytesIn: number;
  bytesOut: number;
  rowsWritten: number;
  /** Bytes of the rows that are there afterwards and were not before. */
  storedBytes: number;
  /** Of PostgreSQL's log. */
  logBytes: number;
  /** With those that begin and end transactions. */
  statements: number;
}

export interface CapacityFigures {
  measuredOn: string;
  processor: string;
  cores: number;
  node: string;
  postgres: string;
  /** How much of the machine others used meanwhile, in cores. */
  foreignCores: number;
  /** Of the service, after everything. */
  memoryMb: number;
  operations: OperationCost[];
}

export const FIGURES_FILE = 'lab/bench/capacity/figures.json';
/** The operation that is counted when a service is sized. */
export const CHECK = 'age check';
/** A session without a device, in test mode. */
export const SIMULATED = 'age check, simulated';
/** Most that a simulated session may cost PostgreSQL; `npm run bench:capacity` fails above it. */
export const SIMULATED_LIMITS = { logBytes: 10_900, statements: 23 } as const;
