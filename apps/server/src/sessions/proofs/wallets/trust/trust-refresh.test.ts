// A running service refreshes trusted lists daily; its trust and its metrics.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestIssuer } from '@limen/wallet/test-issuer';
import { createListProvider, makeVical } from '@limen/wallet/testing/make-lists.ts';
import { expect, it, onTestFinished } from 'vitest';
import { createManualClock } from '#testing/manual-clock.ts';
import { startPublisher } from '#testing/screening/publisher.ts';
import { createListOutbound } from '../../../../platform/outbound/lists.ts';
import { createMetrics } from '../../../../platform/watch/metrics.ts';
import { createTrustFolder } from './folder.ts';
import { addTrustList, createTrustListStore, startTrustRefresh } from './lists.ts';
import { addTrustMetrics } from './trusted-anchors.ts';

const DAY_MS = 86_400_000;

it('follows a list, reports and retries read errors sooner, and counts trusted issuers', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-trust-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const clock = createManualClock();
  const now = new Date(clock.now());
  const [folder, store] = [createTrustFolder(dataDir), createTrustListStore(dataDir)];
  const { base, files } = await startPublisher();
  const provider = await createListProvider(now);
  const [one, two] = await Promise.all(
    ['UT', 'XX'].map((country) => createTestIssuer({ profile: 'mdl', now, country })),
  );
  const publish = async (issuers: (typeof one)[]) => {
    const entries = issuers.map((issuer) => ({
      certificate: issuer!.anchor.certificate.native.raw,
      docTypes: ['org.iso.18013.5.1.mDL'],
    }));
    const body = await makeVical(provider, entries, {
      issuedAt: now,
      nextUpdate: new Date(now.getTime() + 9 * DAY_MS),
    });
    files.set('/vical', { body: '', answer: (reply) => reply.end(body) });
  };
  await publish([one]);
  const outbound = createListOutbound();
  onTestFinished(() => outbound.close());
  await addTrustList(
    { name: 'house', profile: 'mdl', format: 'vical', url: `${base}/vical`, provider: provider.root },
    { folder, store, outbound, clock },
  );

  const lines: Record<string, unknown>[] = [];
  const say = (fields: Record<string, unknown>) => void lines.push(fields);
  const sleeps: number[] = [];
  const steps = [
    () => publish([one, two]),
    async () => void files.set('/vical', { body: '', status: 503 }),
    () => publish([two]),
  ];
  const finished = Promise.withResolvers<void>();
  const refresh = startTrustRefresh({
    folder,
    store,
    clock,
    log: { info: say, warn: say },
    random: () => 0.5,
    async sleep(milliseconds, signal) {
      sleeps.push(milliseconds);
      const step = steps.shift();
      if (step) {
        await step();
        clock.advance(DAY_MS);
        return;
      }
      finished.resolve();
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  await finished.promise;
  await refresh.stop();
  expect(lines).toEqual([
    { list: 'house', anchors: 2, added: 1, gone: 0 },
    { list: 'house', reason: `${base}/vical answered 503; what is there stays.` },
    { list: 'house', anchors: 1, added: 0, gone: 1 },
  ]);
  expect(sleeps).toEqual([60_000, DAY_MS, DAY_MS / 48, DAY_MS]);

  const metrics = createMetrics(false);
  const trusted = (await folder.read()).kept.map(({ anchor }) => anchor);
  addTrustMetrics(metrics, { of: async () => trusted }, clock);
  const text = await metrics.text();
  expect(text).toContain('limen_trust_anchors{profile="mdl"} 1\n');
  expect(text).toContain('limen_trust_anchors{profile="eu_age"} 0\n');
  const seconds = (two!.anchor.certificate.notAfter.getTime() - clock.now()) / 1000;
  expect(text).toContain(`limen_trust_anchor_expires_seconds{profile="mdl"} ${seconds}\n`);
  expect(text).not.toContain('limen_trust_anchor_expires_seconds{profile="eu_age"}');
});
