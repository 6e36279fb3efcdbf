// Memory usage of a process. Linux only.
import { readFileSync } from 'node:fs';

/** Undefined if unavailable. */
export function residentMb(pid: number): number | undefined {
  try {
    const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found ? Number(found[1]) / 1024 : undefined;
  } catch {
    return undefined;
  }
}
