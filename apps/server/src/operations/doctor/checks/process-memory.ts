// Memory that this process may have.
import { totalmem } from 'node:os';

/** Returns the machine's memory, or the limit of the control group (version 1 or 2) if that is lower. */
export function findProcessMemory(): number {
  // Zero where nothing limits the process.
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}
