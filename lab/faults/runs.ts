// The runs of faults that the table in docs/reference/faults.md sums up; lab/faults/runs.json holds them.
import { readFileSync, writeFileSync } from 'node:fs';
import { FAULT_CLASSES } from './fault-classes.ts';
import type { ClassResult } from './play-faults.ts';
import { renderTable } from './render-report.ts';

type ClassCounts = Omit<ClassResult, 'what' | 'withinSeconds'>;

export interface FaultRun {
  playedOn: string;
  rounds: number;
  seed: number;
  classes: ClassCounts[];
}

export const RUNS_FILE = 'lab/faults/runs.json';

export function readRuns(): FaultRun[] {
  return JSON.parse(readFileSync(RUNS_FILE, 'utf8')) as FaultRun[];
}

export function writeRuns(runs: readonly FaultRun[]): void {
  writeFileSync(RUNS_FILE, `${JSON.stringify(runs, null, 2)}\n`);
}

export function runOf(classes: readonly ClassResult[], rounds: number, seed: number): FaultRun {
  const counts = classes.map(({ what, withinSeconds, ...rest }) => rest);
  return { playedOn: new Date().toISOString().slice(0, 10), rounds, seed, classes: counts };
}

/** A repeated seed is the same course, so its new run replaces the old one. */
export function addRun(runs: readonly FaultRun[], run: FaultRun): FaultRun[] {
  return [...runs.filter(({ seed }) => seed !== run.seed), run];
}

/** Totals by class, in the document's order. */
export function sumRuns(runs: readonly FaultRun[]): ClassResult[] {
  return FAULT_CLASSES.flatMap(({ name, what, withinSeconds }) => {
    const played = runs.flatMap(({ classes }) => classes.filter((counts) => counts.name === name));
    return played.length === 0 ? [] : [{ ...played.reduce(add), what, withinSeconds }];
  });
}

function add(left: ClassCounts, right: ClassCounts): ClassCounts {
  const sum = (count: Exclude<keyof ClassCounts, 'name' | 'longestSeconds'>) => left[count] + right[count];
  return {
    name: left.name,
    rounds: sum('rounds'),
    writes: sum('writes'),
    lostWrites: sum('lostWrites'),
    refused: sum('refused'),
    longestSeconds: Math.max(left.longestSeconds, right.longestSeconds),
    sessions: sum('sessions'),
    lostWebhooks: sum('lostWebhooks'),
    lateWebhooks: sum('lateWebhooks'),
    repeatedWebhooks: sum('repeatedWebhooks'),
    doubledWebhooks: sum('doubledWebhooks'),
    againSessions: sum('againSessions'),
    signIns: sum('signIns'),
    againSignIns: sum('againSignIns'),
  };
}

/** Renders docs/reference/faults.md. */
export function renderRuns(runs: readonly FaultRun[]): string {
  const rounds = runs.reduce((sum, run) => sum + run.rounds, 0);
  const seeds = runs.map((run) => `${run.seed} (${run.rounds})`).join(', ');
  return `# Faults

<!-- Generated from lab/faults/runs.json by \`npm run docs\`; do not edit. -->

Results of \`npm run faults\` ([how to read them](../deployment.md#what-happens-when-something-breaks)): ${rounds} rounds with the seeds
${seeds}, on one machine with two cores.

${renderTable(sumRuns(runs))}
`;
}
