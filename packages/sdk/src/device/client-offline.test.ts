// Lost calls and replies: recorded events are kept, and answers are sent once.
import { describe, expect, it } from 'vitest';
import { BEGAN, FINDINGS, followPlan, operationsOf, startDevice } from '../../testing/device-client.ts';
import { refuse } from '../../testing/device-server.ts';
import { rejectionOf } from '../../testing/scripted-client.ts';
import { LimenConnectionError } from '../device.ts';

describe('without a network', () => {
  it('keeps recorded events with their times and sends them with the next call', async () => {
    const { server, device, clocks, waits } = await startDevice();
    await device.claim();
    server.faults = ['unreachable', 'unreachable'];
    clocks.steady += 100;
    await device.record('started', 0);
    clocks.steady += 100;
    await device.record('shown', 0);
    expect(server.log).toEqual([]);
    clocks.steady += 5_000;
    await device.view();
    expect(server.log).toEqual([
      ['started', 0, 100],
      ['shown', 0, 200],
    ]);
    expect(waits).toEqual([]);
  });

  it('reports missing events before the answer, with as many attempts as needed', async () => {
    const { server, device, waits } = await startDevice();
    await device.claim();
    server.faults = ['unreachable', 'unreachable', 'unreachable'];
    await device.record('started', 0);
    await device.submit(FINDINGS);
    expect(operationsOf(server)).toEqual(['claim', 'log', 'log', 'log', 'log', 'answer']);
    expect(waits).toHaveLength(2);
    expect(server.answers[0]?.log).toEqual(server.log);
  });

  it('tolerates a report whose reply was lost', async () => {
    const { server, device } = await startDevice();
    await device.claim();
    server.faults = ['reply lost'];
    await device.record('started', 0);
    await device.record('retried', 0);
    expect(server.log.map(([event]) => event)).toEqual(['started', 'retried']);
  });

  it.each(['reply lost', 'unreachable'] as const)(
    'claims once, with one plan, when a claim meets: %s',
    async (fault) => {
      const { server, device } = await startDevice();
      server.faults = [fault];
      const plan = await device.claim();
      expect(await device.claim()).toEqual(plan);
      expect(server.active).toBe(server.seen[0]?.key);
    },
  );

  it('keeps unreported events when the same plan is received again', async () => {
    const { server, device } = await startDevice();
    await device.claim();
    server.faults = ['unreachable'];
    await device.record('started', 0);
    await device.claim();
    expect(device.log().map(([event]) => event)).toEqual(['started']);
    await device.view();
    expect(server.log).toEqual(device.log());
  });

  it('resends the identical envelope when the reply to an answer was lost', async () => {
    const { server, device } = await startDevice();
    await device.claim();
    await followPlan(device);
    server.faults = ['reply lost'];
    expect((await device.submit(FINDINGS)).end?.flowStatus).toBe('COMPLETED');
    const sent = server.seen.filter(({ operation }) => operation === 'answer');
    expect(sent).toHaveLength(2);
    expect(sent[0]?.body).toEqual(sent[1]?.body);
    expect(sent[0]?.counter).toBeLessThan(sent[1]?.counter ?? 0);
    expect(server.answers).toHaveLength(1);
  });

  it('finishes the last step only with the answer, however often it is sent', async () => {
    const { server, device, clocks } = await startDevice({ retries: { attempts: 1 } });
    await device.claim();
    await device.record('started', 0);
    clocks.steady += 700;
    server.faults = ['reply lost'];
    expect(await rejectionOf(device.submit(FINDINGS, { finish: 0 }))).toBeInstanceOf(LimenConnectionError);
    await device.view();
    expect(server.log).toEqual([['started', 0, 0]]);
    clocks.steady += 700;
    expect((await device.submit(FINDINGS, { finish: 0 })).end?.flowStatus).toBe('COMPLETED');
    expect(server.answers).toMatchObject([
      {
        log: [
          ['started', 0, 0],
          ['finished', 0, 700],
        ],
      },
    ]);
  });

  it('does not finish a step that the plan does not have', async () => {
    const { server, device } = await startDevice();
    await device.claim();
    await device.record('started', 0);
    expect(await rejectionOf(device.submit(FINDINGS, { finish: 1 }))).toBeInstanceOf(TypeError);
    expect(operationsOf(server)).not.toContain('answer');
  });

  it('resends the identical envelope when the caller retries', async () => {
    const { server, device } = await startDevice({ retries: { attempts: 1 } });
    await device.claim();
    await device.record('started', 0);
    server.faults = ['reply lost'];
    expect(await rejectionOf(device.submit(FINDINGS))).toBeInstanceOf(LimenConnectionError);
    expect(await rejectionOf(device.record('shown', 0))).toMatchObject({
      message: expect.stringMatching(/sealed and sent/),
    });
    expect((await device.submit(FINDINGS)).end?.flowStatus).toBe('COMPLETED');
    expect(server.answers).toHaveLength(1);
  });

  it('treats a session as cancelled when only the reply was lost', async () => {
    const { server, device } = await startDevice();
    await device.claim();
    server.faults = ['reply lost'];
    expect((await device.cancel()).end?.flowStatus).toBe('CANCELLED');
    expect(operationsOf(server)).toEqual(['claim', 'cancel', 'cancel', '']);
  });

  it('retries a handoff and waits as long as a busy service requests', async () => {
    const { server, device, waits } = await startDevice();
    await device.claim();
    server.faults = ['unreachable', refuse(503, 'unavailable', undefined, { 'retry-after': '2' })];
    expect(await device.handoff({ began: BEGAN })).toMatchObject({ code: server.codes[0] });
    expect(waits).toEqual([0, 2_000]);
  });
});
