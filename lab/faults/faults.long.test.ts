// Faults of every class on a loaded cluster: acknowledged data persists, and every webhook arrives.
import { expect, it } from 'vitest';
import { findClusterPrograms } from '../../testing/cluster/find-programs.ts';
import { playFaults } from './play-faults.ts';
import { listLosses, renderTable } from './render-report.ts';

const ROUNDS = 50;
const found = findClusterPrograms();

it.skipIf('lack' in found)(`nothing is lost in ${ROUNDS} rounds`, { timeout: 3_600_000 }, async () => {
  if ('lack' in found) return;
  const report = await playFaults({ programs: found.programs, rounds: ROUNDS, seed: Date.now() % 1_000_000 });
  expect(listLosses(report), renderTable(report.classes)).toEqual([]);
  // To ensure that there was something to lose in each of them.
  for (const { writes, sessions, rounds } of report.classes) {
    expect(rounds).toBeGreaterThan(0);
    expect(writes).toBeGreaterThan(0);
    expect(sessions).toBeGreaterThan(0);
  }
});
