// Alert rules and dashboard use existing metrics and labels.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createCallCounts } from '../apps/server/src/faces/keyholder/answer-call.ts';
import { createKeyHolderMetrics } from '../apps/server/src/faces/keyholder/watch/metrics.ts';
import { startTestApp } from '../apps/server/testing/test-app.ts';

const FOLDER = join(import.meta.dirname, '../deploy/monitoring');
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');

/** Metrics of Prometheus itself, and of certificates that only some services have. */
const ELSEWHERE = ['up', 'limen_tls_certificate_expires_seconds', 'limen_wallet_certificate_expires_seconds'];

/** Returns every metric that an expression names: words that look like one, outside of quotes. */
function namesIn(text: string): Set<string> {
  const bare = text.replaceAll(/"[^"]*"/g, '""');
  return new Set(bare.match(/\b(limen|nodejs|process)_[a-z0-9_]+\b/g));
}

it('names only metrics of the service and the key-holder', async () => {
  const app = await startTestApp({ processMetrics: true, environment: { SERVE: 'core,launch,node' } });
  await app.http.inject('/health');
  const { body } = await app.http.inject({ url: '/metrics', remoteAddress: '127.0.0.1' });
  const known = new Set([
    ...ELSEWHERE,
    ...[...`${body}\n${await readKeyHolderMetrics()}`.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!),
  ]);
  const dashboard = JSON.parse(read('dashboard.json')) as { panels: { targets?: { expr: string }[] }[] };
  const expressions = [
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...[...read('alerts.yml').matchAll(/^ {8}expr: (\|\n(?: {10}.*\n)+|.*)/gm)].map(([, expr]) => expr!),
  ];
  expect(expressions.length).toBeGreaterThan(30);
  const unknown = expressions
    .flatMap((expression) => [...namesIn(expression)])
    .filter((name) => !known.has(name.replace(/_(bucket|count|sum)$/, '')) && !known.has(name));
  expect(unknown).toEqual([]);
  expect(await partsOf(body)).toContain('database');

  // A stream lasts as long as its page is open, so counting it would make every service look slow.
  const { paths } = (await app.http.inject('/openapi.json')).json() as { paths: Record<string, object> };
  const streams = Object.keys(paths).filter((path) => JSON.stringify(paths[path]).includes('text/event-stream'));
  expect(streams).not.toEqual([]);
  const quantiles = expressions.filter((expression) => expression.includes('request_duration_seconds_bucket'));
  expect(quantiles).toHaveLength(4);
  for (const expression of quantiles) {
    const [, leftOut = '-'] = /route!~"([^"]*)"/.exec(expression) ?? [];
    expect(streams.filter((path) => !new RegExp(`^(?:${leftOut})$`).test(path))).toEqual([]);
  }
});

/** Values do not matter here. */
function readKeyHolderMetrics(): Promise<string> {
  const service = { report: () => Promise.reject(new Error('no store')), auditProblems: {} as never };
  const server = { connections: () => 0, refused: new Map() };
  return createKeyHolderMetrics(service, server, createCallCounts(), { processMetrics: false }).metrics.text();
}

/** Parts that report readiness. */
async function partsOf(body: string): Promise<string[]> {
  return [...body.matchAll(/^limen_part_ready\{part="(\w+)"\} [01]$/gm)].map(([, part]) => part!);
}
