// Webhooks survive crashes and shutdowns, and a resend keeps the id.
import { describe, expect, it } from 'vitest';
import { hang, type ReceivedWebhook, startReceiver } from '#testing/webhooks/receiver.ts';
import { prepareWebhooks, settle } from '#testing/webhooks/webhook-place.ts';
import { deliverWebhook } from './deliver.ts';

const LEASE_MS = 30_000;
const attemptOf = ({ headers }: ReceivedWebhook) => headers['x-service-attempt'];

describe('a crash', () => {
  it('loses nothing between commit and send', async () => {
    const { start } = await prepareWebhooks();
    const receiver = await startReceiver(() => 200);
    await start().write({ url: receiver.url }); // The process dies and leaves the webhook to the next one.
    await settle(start());
    expect(receiver.received.map(attemptOf)).toEqual(['1']);
  });

  it('of the process that claimed it at commit loses nothing; it counts as sent because it may have been', async () => {
    const { start, clock, database } = await prepareWebhooks();
    const receiver = await startReceiver(() => 200);
    const first = start({ diesBeforeSending: true });
    await first.jobs.start();
    await first.write({ url: receiver.url });
    const second = start();
    await settle(second);
    const job = database.queries.selectFrom('jobs').selectAll().where('kind', '=', deliverWebhook.kind);
    expect(await job.execute()).toMatchObject([{ state: 'running', attempts: 1, lease_until: clock.now() + LEASE_MS }]);
    expect(receiver.received).toEqual([]);
    clock.advance(LEASE_MS + 1);
    await settle(second);
    expect(receiver.received.map(attemptOf)).toEqual(['2']);
    expect(await second.log()).toMatchObject([{ state: 'delivered', attempts: 2 }]);
    expect(await job.execute()).toEqual([]);
  });

  it('between send and acknowledgment resends it under the same id', async () => {
    const { start, clock } = await prepareWebhooks();
    const release: (() => void)[] = [];
    const receiver = await startReceiver((nth) => (nth === 1 ? (reply) => void release.push(() => reply.end()) : 200));
    const first = start();
    await first.write({ url: receiver.url });
    const frozen = first.jobs.runDue();
    await receiver.arrived(1);
    clock.advance(LEASE_MS + 1);
    const second = start();
    await settle(second);
    for (const end of release) end(); // The first run returns after its lease expired.
    await frozen;
    await settle(second);
    const headers = receiver.received.map((got) => [got.headers['webhook-id'], got.headers['x-service-attempt']]);
    const [delivery] = await second.log();
    expect(headers).toEqual([
      [delivery!.id, '1'],
      [delivery!.id, '2'],
    ]);
    expect(delivery).toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it('counts no attempt for a shutdown in between', async () => {
    const { start } = await prepareWebhooks();
    const receiver = await startReceiver((nth) => (nth === 1 ? hang : 200));
    const first = start();
    await first.write({ url: receiver.url });
    const cut = first.jobs.runDue();
    await receiver.arrived(1);
    await first.jobs.stop();
    await cut;
    await settle(start());
    expect(receiver.received.map(attemptOf)).toEqual(['1', '1']);
  });

  it('lets running calls finish for a moment at shutdown, and keeps their outcomes', async () => {
    const { start } = await prepareWebhooks();
    const release: (() => void)[] = [];
    const receiver = await startReceiver(() => (reply) => void release.push(() => reply.end()));
    const process = start({ graceMs: 60_000 });
    await process.write({ url: receiver.url });
    const pass = process.jobs.runDue();
    await receiver.arrived(1);
    const stopped = process.jobs.stop();
    expect(await process.log()).toMatchObject([{ state: 'pending', attempts: 0 }]);
    for (const end of release) end();
    await Promise.all([stopped, pass]);
    expect(await process.log()).toMatchObject([{ state: 'delivered', attempts: 1 }]);
  });
});
