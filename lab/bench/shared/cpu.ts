// How much processor time processes took, to tell a slow server from a disturbed measurement. Linux only.
import { readdirSync, readFileSync } from 'node:fs';

/** Ticks per second in /proc; fixed by the kernel's interface on every platform that Node runs on. */
const TICKS = 100;

/** Processor seconds that a process has used so far; undefined where the system does not say. */
export function cpuSecondsOf(pid: number): number | undefined {
  const fields = readFields(pid);
  return fields && (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** The same of a process and all that it started and that still runs; 0 where the system does not say. */
export function cpuSecondsOfTree(pid: number): number {
  const parents = new Map(listProcesses().map((each) => [each, Number(readFields(each)?.[1])]));
  const tree = new Set([pid]);
  // Whoever was started later may have a lower number: again, until nobody is added.
  for (let size = 0; size < tree.size; ) {
    size = tree.size;
    for (const [each, parent] of parents) if (tree.has(parent)) tree.add(each);
  }
  return [...tree].reduce((sum, each) => sum + (cpuSecondsOf(each) ?? 0), 0);
}

function listProcesses(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** From the state on. The name in front of it may hold spaces and brackets: counted from the last bracket. */
function readFields(pid: number): string[] | undefined {
  const text = read(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
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
