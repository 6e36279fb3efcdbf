// Spans: how they hang together, which are recorded, and what becomes of them when the collector does not take them.
import fc from 'fast-check';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { startCollector } from '#testing/platform/collector.ts';
import { createOutbound } from '../outbound/guarded-fetch.ts';
import { createSpanQueue } from './span-queue.ts';
import { createTracing, formatTraceparent, isChosen, newTraceId, parseTraceparent } from './tracing.ts';

const ABOUT = { name: 'something', kind: 'internal', attributes: {} } as const;
const FROM_CALLER = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

async function open({ share = 1, maxQueued = 100 } = {}) {
  const collector = await startCollector();
  const patience = { headersTimeoutMs: 1_000, idleTimeoutMs: 1_000, totalTimeoutMs: 1_000, maxRedirects: 0 };
  const outbound = createOutbound({ allowPrivate: true, maxConcurrent: 1, ...patience });
  const lines: string[] = [];
  const queue = createSpanQueue({
    ...{ endpoint: collector.url, headers: { authorization: 'Bearer t' }, serviceName: 'limen', outbound, maxQueued },
    ...{ log: pino({}, { write: (line: string) => void lines.push(line) }), everyMs: 3_600_000 },
  });
  return { collector, queue, lines, tracing: createTracing({ queue, share }) };
}

describe('traceparent', () => {
  it('is read back as it is written', () => {
    const digits = (length: number) =>
      fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => !/^0+$/.test(text));
    fc.assert(
      fc.property(digits(32), digits(16), fc.boolean(), (traceId, spanId, isSampled) => {
        expect(parseTraceparent(formatTraceparent({ traceId, spanId, isSampled }))).toEqual({
          traceId,
          spanId,
          isSampled,
        });
      }),
    );
  });

  it.each([
    undefined,
    '',
    'nonsense',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`,
    `ff-${FROM_CALLER.slice(3)}`,
    `${FROM_CALLER}-more`,
    FROM_CALLER.toUpperCase(),
  ])('%j is none', (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });

  it('of a later version may say more', () => {
    expect(parseTraceparent(`01${FROM_CALLER.slice(2)}-more`)).toMatchObject({ isSampled: true });
  });
});

it('calls hang beneath what is under way, and pass their own name on', async () => {
  const { collector, tracing } = await open();
  const span = tracing.begin({ ...ABOUT, name: 'request', kind: 'server' }, FROM_CALLER);
  let passedOn: string | undefined;
  const work = async () => {
    await tracing.call({ ...ABOUT, name: 'call', kind: 'client' }, async (traceparent) => {
      passedOn = traceparent;
      tracing.note({ ...ABOUT, name: 'query' }, 5, false);
    });
    const failing = tracing.call({ ...ABOUT, name: 'failing' }, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
  };
  let done: Promise<void> | undefined;
  tracing.enter(span, () => {
    done = work();
  });
  await done;
  span.end({ attributes: { 'http.response.status_code': 201 } });
  span.end();
  tracing.note({ ...ABOUT, name: 'nobody’s' }, 5, false);
  await tracing.close();
  const byName = Object.fromEntries(collector.spans.map((one) => [one.name, one]));
  expect(Object.keys(byName).sort()).toEqual(['call', 'failing', 'query', 'request']);
  const { request, call, query, failing } = byName;
  expect(request).toMatchObject({ parentSpanId: '00f067aa0ba902b7', kind: 2 });
  expect([call!.parentSpanId, failing!.parentSpanId, query!.parentSpanId]).toEqual([
    request!.spanId,
    request!.spanId,
    call!.spanId,
  ]);
  expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set(['4bf92f3577b34da6a3ce929d0e0e4736']));
  expect(passedOn).toBe(`00-${call!.traceId}-${call!.spanId}-01`);
  expect([request!.status, failing!.status]).toEqual([{}, { code: 2 }]);
  expect(request!.attributes).toEqual([{ key: 'http.response.status_code', value: { intValue: '201' } }]);
  expect(BigInt(query!.endTimeUnixNano) - BigInt(query!.startTimeUnixNano)).toBeGreaterThan(4_900_000n);
  expect(collector.headers[0]).toMatchObject({ authorization: 'Bearer t', 'content-type': 'application/json' });
});

it('records the share that is wanted, the same everywhere, and nothing that the caller does not want', async () => {
  const ids = Array.from({ length: 2_000 }, newTraceId);
  const chosen = ids.filter((id) => isChosen(id, 0.25)).length;
  expect(Math.abs(chosen - 500)).toBeLessThan(120);
  expect(ids.every((id) => isChosen(id, 1) && !isChosen(id, 0))).toBe(true);

  const all = await open();
  all.tracing.begin(ABOUT, FROM_CALLER.replace(/01$/, '00')).end();
  const none = await open({ share: 0 });
  none.tracing.begin(ABOUT, FROM_CALLER).end();
  await none.tracing.call(ABOUT, async (traceparent) => expect(traceparent).toMatch(/-00$/));
  for (const { tracing, collector } of [all, none]) {
    await tracing.close();
    expect(collector.spans).toEqual([]);
  }
});

it('drops what does not fit, and what the collector refuses, and says so once', async () => {
  const { collector, queue, lines, tracing } = await open({ maxQueued: 3 });
  collector.answer(503);
  for (let at = 0; at < 5; at++) tracing.begin(ABOUT, undefined).end();
  await tracing.close();
  expect(queue.counts()).toEqual({ sent: 0, dropped: 5 });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('the collector does not take traces');
});

it('gives the rest up at the end when the collector does not take what is left', async () => {
  const { collector, queue, tracing } = await open({ maxQueued: 2_000 });
  collector.answer(503);
  for (let at = 0; at < 1_600; at++) tracing.begin(ABOUT, undefined).end();
  await tracing.close();
  expect(collector.headers).toHaveLength(1);
  expect(queue.counts()).toEqual({ sent: 0, dropped: 1_600 });
});
