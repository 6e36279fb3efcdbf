// Checks the settings: every problem at once, and what is only safe on a developer's machine.
import { type Config, type Environment, loadConfig } from '../../../config.ts';
import { StartError } from '../../../platform/base/errors.ts';
import { warnings } from '../../start/banner.ts';
import { type DoctorFinding, ok, warning } from './check.ts';

export function checkConfiguration(environment: Environment): {
  config: Config | undefined;
  findings: DoctorFinding[];
} {
  try {
    const config = loadConfig(environment);
    return { config, findings: describeConfiguration(config) };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    // The problems say what would be right.
    return { config: undefined, findings: error.problems.map((found): DoctorFinding => ({ level: 'failure', found })) };
  }
}

export function describeConfiguration(config: Config): DoctorFinding[] {
  const storage = config.DATABASE_URL === undefined ? 'SQLite file' : 'PostgreSQL';
  const open = warnings(config).map((found): DoctorFinding => ({ level: 'warning', found }));
  return [ok(`valid: ${config.NODE_ENV}, ${storage}`), ...open];
}

const TESTED_MAJOR = 24;

export function checkRuntime(version: string): DoctorFinding {
  const found = `Node ${version} on ${process.platform} ${process.arch}`;
  return Number.parseInt(version, 10) === TESTED_MAJOR
    ? ok(found)
    : warning(found, `Limen is tested with Node ${TESTED_MAJOR}, which "npm ci" installs: run it through npm`);
}
