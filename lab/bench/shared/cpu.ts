// CPU time of processes, to distinguish a slow server from a disturbed measurement. Linux only.
import { readdirSync, readFileSync } from 'node:fs';

/** Ticks per second in /proc, fixed on every platform that Node supports. */
const TICKS = 100;

/** Returns a process's CPU seconds so far, or undefined if unavailable. */
export function cpuSecondsOf(pid: number): number | undefined {
  const fields = readFields(pid);
  return fields && (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Returns the CPU seconds of a process and its running descendants. 0 if unavailable. */
export function cpuSecondsOfTree(pid: number): number {
  const parents = new Map(listProcesses().map((each) => [each, Number(readFields(each)?.[1])]));
  const tree = new Set([pid]);
  // Children may have lower numbers, so repeats until none is added.
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

/** Fields after the name, which may contain spaces and brackets: starts at the last bracket. */
function readFields(pid: number): string[] | undefined {
  const text = read(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Returns the whole machine's CPU seconds so far, including steal time. */
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
