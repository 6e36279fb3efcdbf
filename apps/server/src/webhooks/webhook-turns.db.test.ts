// Webhooks that wait for each other: in order within a session, and few at a time to one target.
import { describe, expect, it } from 'vitest';
import { SKIPS_ENGINE_BLIND } from '#testing/database/test-database.ts';
import { startReceiver } from '#testing/webhooks/receiver.ts';
import { prepareWebhooks, settle } from '#testing/webhooks/webhook-place.ts';

describe('turns', () => {
  it('are kept within a session, and other sessions do not wait', async () => {
    const { start, clock } = await prepareWebhooks();
    const receiver = await startReceiver((nth) => (nth === 1 ? 500 : 200));
    const process = start();
    await process.write({ url: receiver.url, sessionId: 's', body: 1 });
    await process.jobs.runDue();
    await process.write({ url: receiver.url, sessionId: 's', body: 2 });
    await process.write({ url: receiver.url, sessionId: 'other', body: 3 });
    await settle(process);
    expect(receiver.received.map(({ body }) => body)).toEqual(['1', '3']);
    for (let step = 0; step < 10; step += 1) {
      clock.advance(5_000);
      await settle(process);
    }
    expect(receiver.received.map(({ body }) => body)).toEqual(['1', '3', '1', '2']);
  });

  it('of one target are limited, so that a hanging target delays no other', async () => {
    const { start, clock } = await prepareWebhooks();
    const release: (() => void)[] = [];
    const slow = await startReceiver(() => (reply) => void release.push(() => reply.end()));
    const fast = await startReceiver(() => 200);
    // The number of concurrent claims, or fewer for a quick run.
    const places = SKIPS_ENGINE_BLIND ? 32 : 256;
    const process = start({
      laneLimits: { places, perTarget: 2, maxWaiting: 0, quickMs: 250, patienceMs: 10_000 },
      graceMs: 60_000,
    });
    for (let nth = 0; nth < places + 4; nth += 1) await process.write({ url: slow.url, sessionId: `slow-${nth}` });
    await process.write({ url: fast.url, sessionId: 'fast' });
    await process.jobs.start();
    await slow.arrived(2);
    clock.advance(100);
    await fast.arrived(1);
    expect(slow.received).toHaveLength(2);
    for (const end of release) end();
    await process.jobs.stop();
    const attempts = (await process.log()).filter(({ session_id }) => session_id.startsWith('slow'));
    expect(attempts.filter(({ state }) => state === 'delivered')).toHaveLength(2);
    expect(attempts.filter(({ attempts: made }) => made > 0)).toHaveLength(2); // Waiting uses up no attempt.
  });
});
