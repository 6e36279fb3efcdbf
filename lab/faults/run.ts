// `npm run faults -- --rounds N --seed S`: plays faults on a loaded cluster, prints their effects,
// and updates the documents.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { findClusterPrograms } from '../../testing/cluster/find-programs.ts';
import { FAULT_CLASSES } from './fault-classes.ts';
import { playFaults } from './play-faults.ts';
import { listDelays, listLosses, renderTable } from './render-report.ts';
import { addRun, RUNS_FILE, readRuns, renderRuns, runOf, writeRuns } from './runs.ts';

const DOCUMENT = 'docs/reference/faults.md';
const names = FAULT_CLASSES.map(({ name }) => name);
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: String(2 * names.length) },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    anew: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(
    `Usage: npm run faults -- [--rounds N] [--seed S] [--only CLASS,CLASS] [--anew]\n\nPlays faults on a cluster of its own under load: N rounds (${2 * names.length}), each class in turn, in an order that the seed draws.\nA run of all classes is added to ${RUNS_FILE}, and to the table in ${DOCUMENT}; with --anew it is the only one there.\n\nClasses: ${names.join(', ')}`,
  );
  process.exit(0);
}
const only = values.only?.split(',');
const unknown = only?.find((name) => !names.includes(name));
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
if (unknown !== undefined || !Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed)) {
  console.error(
    unknown === undefined
      ? '--rounds and --seed are whole numbers.'
      : `There is no class ${unknown}; there are ${names.join(', ')}.`,
  );
  process.exit(2);
}
const found = findClusterPrograms('npm run faults');
if ('lack' in found) {
  console.log(found.lack);
  process.exit(0);
}

// The cluster ends with the process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const { programs } = found;
const tell = (text: string) => void process.stderr.write(text);
const report = await playFaults({ programs, rounds, seed, tell, ...(only && { only }) });
const table = renderTable(report.classes);
console.log(`\n${table}\n`);
for (const name of report.leftOut) console.log(`SKIPPED: ${name} (it cannot be played on this machine)`);
const failures = [...listLosses(report), ...listDelays(report)];
for (const failure of failures) console.log(`FAILED: ${failure}`);
if (!only && report.leftOut.length === 0) {
  const runs = addRun(values.anew ? [] : readRuns(), runOf(report.classes, rounds, seed));
  writeRuns(runs);
  writeFileSync(DOCUMENT, renderRuns(runs));
  console.log(`wrote ${RUNS_FILE} and ${DOCUMENT}`);
}
process.exit(failures.length === 0 ? 0 : 1);
