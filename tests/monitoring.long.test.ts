// Prometheus itself checks the alert rules: they are valid and fire exactly when they should.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findPromtool } from '../scripts/system-packages.ts';

const promtool = findPromtool();
const cwd = join(import.meta.dirname, '../deploy/monitoring');

it.skipIf(promtool === undefined).each([
  ['check', 'alerts.yml'],
  ['test', 'alerts.test.yml'],
  ['check', 'postgres-alerts.yml'],
  ['test', 'postgres-alerts.test.yml'],
])('passes promtool %s rules %s', (verb, file) => {
  const { status, stdout, stderr } = spawnSync(promtool!, [verb, 'rules', file], { cwd, encoding: 'utf8' });
  expect(status, `${stdout}${stderr}`).toBe(0);
});
