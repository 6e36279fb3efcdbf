// Webhooks past crashes and shutdowns: none is lost, and one that is sent again has the same id.
import { describe, expect, it } from 'vitest';
import { hang, type Received, startReceiver } from '#testing/webhooks/receiver.ts';
import { prepareWebhooks, settle } from '#testing/webhooks/webhook-place.ts';
import { deliverWebhook } from './deliver.ts';

const LEASE_MS = 30_000;
const attemptOf = ({ headers }: Received) => headers['x-service-attempt'];

describe('a crash', () => {
  it('between commit and send loses nothing', async () => {
    const { start } = await prepareWebhooks();
    const receiver = await startReceiver(() => 200);
    await start().write({ url: receiver.url }); // leaves it to whoever comes, and is never heard of again
    await settle(start());
    expect(receiver.received.map(attemptOf)).toEqual(['1']);
  });

  it('of the process that had taken it with the commit loses nothing either; it may have been sent and counts as sent', async () => {
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

  it('between send and acknowledgement sends it again under the same id', async () => {
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
    for (const end of release) end(); // the first comes back to find that it was given up for dead
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

  it('a shutdown in between counts no attempt', async () => {
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

  it('a shutdown waits a moment for the calls under way, and what they come to stands', async () => {
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
