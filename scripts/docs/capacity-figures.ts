// Measured cost of one operation. lab/bench/capacity/figures.json holds the last run, and
// docs/reference/capacity.md is written from it.

export interface OperationCost {
  name: string;
  /** Description of one operation. */
  what: string;
  count: number;
  /** CPU time of the service and of PostgreSQL. */
  serviceMs: number;
  databaseMs: number;
  /** Over HTTP including headers, without webhooks. */
  bytesIn: number;
  bytesOut: number;
  rowsWritten: number;
  /** Net growth of rows in bytes. */
  storedBytes: number;
  /** WAL bytes of PostgreSQL. */
  logBytes: number;
  /** Including those that begin and end transactions. */
  statements: number;
}

export interface CapacityFigures {
  measuredOn: string;
  processor: string;
  cores: number;
  node: string;
  postgres: string;
  /** Cores used by other processes in the meantime. */
  foreignCores: number;
  /** Memory of the service after all operations. */
  memoryMb: number;
  operations: OperationCost[];
}

export const FIGURES_FILE = 'lab/bench/capacity/figures.json';
/** Operation by which a service is sized. */
export const CHECK = 'age check';
/** A session without a device, in test mode. */
export const SIMULATED = 'age check, simulated';
/** Maximum cost of a simulated session in PostgreSQL. `npm run bench:capacity` fails above it. */
export const SIMULATED_LIMITS = { logBytes: 10_900, statements: 23 } as const;
