// How much processor time processes took, to tell a slow server from a disturbed measurement. Linux only.
import { readFileSync } from 'node:fs';

/** Ticks per second in /proc; fixed by the kernel's interface on every platform that Node runs on. */
const TICKS = 100;

/** Processor seconds that a process has used so far; undefined where the system does not say. */
export function cpuSecondsOf(pid: number): number | undefined {
  const text = read(`/proc/${pid}/stat`);
  // The name in the second field may hold spaces and brackets: count from the last bracket.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Processor seconds that the whole machine has used so far, with what its host withheld. */
export function cpuSecondsOfMachine(): number | undefined {
  const text = read('/proc/stat');
  const [user, nice, system, , , irq, softIrq, steal] =
    text?.split('\n', 1)[0]?.split(/\s+/).slice(1).map(Number) ?? [];
  return text === undefined ? undefined : (user! + nice! + system! + irq! + softIrq! + steal!) / TICKS;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
