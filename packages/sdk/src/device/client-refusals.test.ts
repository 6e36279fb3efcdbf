// Refusals by the service, and calls that the client rejects itself.
import { namesOf } from '@limen/plan';
import { describe, expect, it } from 'vitest';
import { BEGAN, FINDINGS, operationsOf, startDevice } from '../../testing/device-client.ts';
import { refuse } from '../../testing/device-server.ts';
import { rejectionOf } from '../../testing/scripted-client.ts';
import { createDeviceClient, createMemoryKeys, LimenError } from '../device.ts';

describe('refusals', () => {
  it('carry the service’s code and the session error code', async () => {
    const { device, connect } = await startDevice();
    await device.claim();
    const error = await rejectionOf((await connect()).claim());
    expect(error).toBeInstanceOf(LimenError);
    expect(error).toMatchObject({ status: 403, code: 'device_mismatch', sessionCode: -16 });
  });

  it('of a report reach the caller', async () => {
    const { server, device } = await startDevice();
    await device.claim();
    server.faults = [refuse(422, 'answer_refused', -22)];
    expect(await rejectionOf(device.record('started', 0))).toMatchObject({ code: 'answer_refused', sessionCode: -22 });
  });

  it('with status 400 drop the report from the log and do not block later ones', async () => {
    const { server, device } = await startDevice();
    await device.claim();
    await device.record('started', 0);
    server.faults = [refuse(400, 'validation_failed')];
    const [first, second] = await Promise.allSettled([device.record('retried', 0), device.record('retried', 0)]);
    expect(first).toMatchObject({ status: 'rejected', reason: { status: 400, code: 'validation_failed' } });
    expect(second).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringMatching(/refused the report/) },
    });
    expect(device.log()).toEqual(server.log);
    await device.record('retried', 0);
    expect(server.log.map(([event]) => event)).toEqual(['started', 'retried']);
    expect(device.log()).toEqual(server.log);
  });

  it('of entries that conflict with another tab reach the caller, and a claim restores the stored log', async () => {
    const keys = createMemoryKeys();
    const { server, device, connect, clocks } = await startDevice({ keys });
    const tab = await connect();
    await device.claim();
    await tab.claim();
    await tab.record('started', 0);
    clocks.steady += 900;
    expect(await rejectionOf(device.record('started', 0))).toMatchObject({ status: 409, code: 'log_conflict' });
    await device.claim();
    expect(device.log()).toEqual(tab.log());
    clocks.steady += 100;
    await device.record('retried', 0);
    expect(server.log).toEqual([
      ['started', 0, 0],
      ['retried', 0, 100],
    ]);
  });

  it('of a session that is on another device stop the reports until the next claim', async () => {
    const { server, device, connect } = await startDevice();
    await device.claim();
    const { code } = await device.handoff({ began: BEGAN });
    const other = await connect();
    await other.claim({ code });
    expect(await rejectionOf(device.record('started', 0))).toMatchObject({ code: 'device_mismatch' });
    const before = server.seen.length;
    expect(await rejectionOf(device.record('retried', 0))).toMatchObject({ code: 'device_mismatch', sessionCode: -16 });
    await device.view();
    expect(operationsOf(server).slice(before)).toEqual(['']);
    const back = await other.handoff({ began: BEGAN });
    await device.claim({ code: back.code });
    await device.record('started', 0);
    expect(server.log.map(([event]) => event)).toEqual(['started']);
  });

  it('do not block subsequent calls', async () => {
    const { server, device } = await startDevice();
    await device.claim();
    server.faults = [refuse(422, 'answer_refused', -22)];
    const [first, second] = await Promise.allSettled([device.record('started', 0), device.cancel()]);
    expect([first.status, second.status]).toEqual(['rejected', 'fulfilled']);
  });
});

describe('the client rejects', () => {
  it('a 161st log entry', async () => {
    const { server, device } = await startDevice();
    await device.claim();
    await device.record('started', 0);
    for (let count = 1; count < 160; count += 1) await device.record('retried', 0);
    const before = server.seen.length;
    expect(await rejectionOf(device.record('finished', 0))).toMatchObject({
      name: 'RangeError',
      message: expect.stringMatching(/160 entries/),
    });
    expect(server.seen).toHaveLength(before);
    expect(device.log()).toHaveLength(160);
  });

  it('unknown events, and indexes that the plan does not have', async () => {
    const { server, device } = await startDevice();
    await device.claim();
    const before = server.seen.length;
    const wrong: [string, number, RegExp][] = [
      ['begun', 0, /event must be one of started, shown, done, asked, answered, lit, stopped, retried, finished/],
      ['constructor', 0, /event must be one of/],
      ['started', 1, /index of started must be the position of a step of the plan, from 0 to 0/],
      ['shown', 3, /index of shown must be the position of a challenge of the running step, from 0 to 2/],
      ['done', -1, /index of done/],
      ['retried', 0.5, /index of retried/],
      ['finished', Number.NaN, /index of finished/],
    ];
    for (const [event, index, message] of wrong) {
      const error = await rejectionOf(device.record(event as 'started', index));
      expect(error).toMatchObject({ name: 'TypeError', message: expect.stringMatching(message) });
    }
    expect(await rejectionOf(device.record('started', '0' as unknown as number))).toBeInstanceOf(TypeError);
    expect(server.seen).toHaveLength(before);
    expect(device.log()).toEqual([]);
    await device.record('started', 0);
    expect(server.log.map(([event]) => event)).toEqual(['started']);
  });

  it('findings that the plan does not request, without sending anything', async () => {
    const { server, device } = await startDevice();
    await device.claim();
    server.faults = ['unreachable'];
    await device.record('started', 0);
    const before = server.seen.length;
    const ages = { face: { spoof: false, estimate: 30, lowerBound: 25 } } as const;
    expect(await rejectionOf(device.submit(ages))).toMatchObject({
      name: 'TypeError',
      message: expect.stringMatching(/face.thresholdResult is missing/),
    });
    expect(await rejectionOf(device.submit({}))).toMatchObject({ message: expect.stringMatching(/face is missing/) });
    expect(server.seen).toHaveLength(before);
    expect((await device.submit(FINDINGS)).end?.flowStatus).toBe('COMPLETED');
  });

  it('an answer that does not fit into the envelope', async () => {
    const { server, device, clocks } = await startDevice();
    await device.claim();
    clocks.steady += 80_000_000;
    await device.record('started', 0);
    for (let count = 1; count < 70; count += 1) await device.record('retried', 0);
    const indicators = {
      headless: namesOf('headless'),
      virtualCamera: namesOf('virtualCamera'),
      browserAnomalies: [],
    };
    expect(await rejectionOf(device.submit({ ...FINDINGS, indicators }))).toMatchObject({
      message: expect.stringMatching(/bytes, but only 1965 fit/),
    });
    expect(operationsOf(server)).not.toContain('answer');
    expect((await device.submit(FINDINGS)).end?.flowStatus).toBe('COMPLETED');
  });

  it.each(['', 'x', '../../health', '7D1F0C52-9A3E-4B6D-8F21-5C0E9B7A4D13'])(
    'the session id "%s"',
    async (sessionId) => {
      const error = await rejectionOf(createDeviceClient({ baseUrl: 'https://limen.example', sessionId }));
      expect(error).toEqual(new TypeError('sessionId must be the sessionId of a launch URL'));
    },
  );
});
