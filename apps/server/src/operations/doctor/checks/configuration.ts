// Checks the settings and the runtime.
import type { Config } from '../../../config.ts';
import { warnings } from '../../start/banner.ts';
import { type DoctorFinding, ok, warning } from './check.ts';

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
