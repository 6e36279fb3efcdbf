// The examination: all checks on one configuration, in the order in which their findings are shown.
import { describeFailure } from '../../command-line/terminal/describe-failure.ts';
import type { Config } from '../../config.ts';
import type { Clock } from '../../platform/base/clock.ts';
import type { DoctorCheck, DoctorFinding, Facts } from './checks/check.ts';
import { checkClock } from './checks/clock.ts';
import { checkRuntime, describeConfiguration } from './checks/configuration.ts';
import { checkDataFolder } from './checks/data-folder.ts';
import { checkDatabase, checkJobs, probeDatabase } from './checks/database.ts';
import { checkDatasets } from './checks/datasets.ts';
import { checkFaces, checkModels } from './checks/faces.ts';
import { checkKeyHolder } from './checks/keyholder.ts';
import { checkIdentityProvider, checkPasskeys, checkProxy, checkTls } from './checks/network.ts';
import { checkAudit, checkMasterKeys, checkRows, checkSigningKeys } from './checks/sealing.ts';
import { checkTrust, checkWalletCertificate } from './checks/trust.ts';

export const CHECKS: readonly (readonly [name: string, check: DoctorCheck])[] = [
  ['tls', checkTls],
  ['proxy', checkProxy],
  ['data folder', checkDataFolder],
  ['database', checkDatabase],
  ['master key', checkMasterKeys],
  ['rows', checkRows],
  ['audit log', checkAudit],
  ['signing keys', checkSigningKeys],
  ['clock', checkClock],
  ['jobs', checkJobs],
  ['datasets', checkDatasets],
  ['faces', checkFaces],
  ['models', checkModels],
  ['key-holder', checkKeyHolder],
  ['passkeys', checkPasskeys],
  ['identity provider', checkIdentityProvider],
  ['trust', checkTrust],
  ['wallet certificate', checkWalletCertificate],
];

export type NamedFinding = { check: string } & DoctorFinding;

export async function examine(config: Config, clock: Clock, more: typeof CHECKS = []): Promise<NamedFinding[]> {
  const findings = [
    ...named('configuration', describeConfiguration(config)),
    ...named('runtime', [checkRuntime(process.versions.node)]),
  ];
  const database = await probeDatabase(config);
  try {
    for (const [name, check] of [...CHECKS, ...more])
      findings.push(...named(name, await runCheck(check, { config, clock, database })));
    return findings;
  } finally {
    if (database.state === 'answers') await database.database.close();
  }
}

/** Reports an error of a check as a finding, so that the examination continues. */
async function runCheck(check: DoctorCheck, facts: Facts): Promise<DoctorFinding[]> {
  try {
    return await check(facts);
  } catch (error) {
    return [{ level: 'failure', found: describeFailure(error) }];
  }
}

export function named(check: string, findings: readonly DoctorFinding[]): NamedFinding[] {
  return findings.map((finding) => ({ check, ...finding }));
}
