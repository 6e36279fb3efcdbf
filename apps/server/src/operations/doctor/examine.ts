// The examination itself: all checks on one configuration. `limen doctor` prints what it finds, and the console shows it.

import { describeFailure } from '../../command-line/terminal/describe-failure.ts';
import type { Config } from '../../config.ts';
import type { Clock } from '../../platform/base/clock.ts';
import { CHECKS } from './checks/all.ts';
import type { DoctorFinding, Facts } from './checks/check.ts';
import { checkRuntime, describeConfiguration } from './checks/configuration.ts';
import { probeDatabase } from './checks/database.ts';
import type { NamedFinding } from './print-findings.ts';

/** `more`: checks that are not for everybody. */
export async function examine(config: Config, clock: Clock, more: typeof CHECKS = []): Promise<NamedFinding[]> {
  const found = [
    ...named('configuration', describeConfiguration(config)),
    ...named('runtime', [checkRuntime(process.versions.node)]),
  ];
  const database = await probeDatabase(config);
  try {
    for (const [name, check] of [...CHECKS, ...more])
      found.push(...named(name, await runCheck(check, { config, clock, database })));
    return found;
  } finally {
    if (database.state === 'answers') await database.database.close();
  }
}

/** A check that itself fails is a finding, not the end of the examination. */
async function runCheck(check: (facts: Facts) => Promise<DoctorFinding[]>, facts: Facts): Promise<DoctorFinding[]> {
  try {
    return await check(facts);
  } catch (error) {
    return [{ level: 'failure', found: describeFailure(error) }];
  }
}

export function named(check: string, findings: readonly DoctorFinding[]): NamedFinding[] {
  return findings.map((finding) => ({ check, ...finding }));
}
