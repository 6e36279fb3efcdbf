// Checks the Node version. One that is too old never gets here: bin/require-runtime.js stops it.
import { type Finding, ok, warning } from './check.ts';

const TESTED_MAJOR = 24;

export function checkRuntime(version: string): Finding {
  const found = `Node ${version} on ${process.platform} ${process.arch}`;
  return Number.parseInt(version, 10) === TESTED_MAJOR
    ? ok(found)
    : warning(found, `Limen is tested with Node ${TESTED_MAJOR}, which "npm ci" installs: run it through npm`);
}
