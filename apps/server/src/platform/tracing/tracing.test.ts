// Spans: their parents, sampling, and what happens if the collector refuses them.
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { startCollector } from '#testing/platform/collector.ts';
import { createMetrics } from '../watch/metrics.ts';
import { openTracing } from './tracing.ts';

const ABOUT = { name: 'something', kind: 'internal', attributes: {} } as const;
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const FROM_CALLER = `00-${TRACE_ID}-00f067aa0ba902b7-01`;

async function open({ share = 1 } = {}) {
  const collector = await startCollector();
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const metrics = createMetrics(false);
  const settings = { endpoint: collector.url, headers: { authorization: 'Bearer t' }, share };
  const tracing = await openTracing(settings, log, metrics);
  const counts = async () => {
    const text = await metrics.text();
    const read = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
    return { sent: read('limen_trace_spans_total'), dropped: read('limen_trace_spans_dropped_total') };
  };
  return { collector, lines, tracing, counts };
}

describe('traceparent', () => {
  it('is read back as written', async () => {
    const { tracing } = await open();
    await tracing.call(ABOUT, async (written) => {
      const { traceId } = tracing.begin(ABOUT, written);
      expect(written).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    });
    await tracing.close();
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
  ])('rejects %j', async (text) => {
    const { tracing } = await open();
    expect(tracing.begin(ABOUT, text).traceId).not.toBe(TRACE_ID);
    await tracing.close();
  });

  it('may have extra fields in a later version', async () => {
    const { tracing, collector } = await open();
    tracing.begin(ABOUT, `01${FROM_CALLER.slice(2)}-more`).end();
    await tracing.close();
    expect(collector.spans).toMatchObject([{ traceId: TRACE_ID }]);
  });
});

it('nests calls under the active span, and propagates their own ids', async () => {
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
  const byName = Object.fromEntries(collector.spans.map((span) => [span.name, span]));
  expect(Object.keys(byName).sort()).toEqual(['call', 'failing', 'query', 'request']);
  const { request, call, query, failing } = byName;
  expect(request).toMatchObject({ parentSpanId: '00f067aa0ba902b7', kind: 2 });
  expect([call!.parentSpanId, failing!.parentSpanId, query!.parentSpanId]).toEqual([
    request!.spanId,
    request!.spanId,
    call!.spanId,
  ]);
  expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE_ID]));
  expect(passedOn).toBe(`00-${call!.traceId}-${call!.spanId}-01`);
  expect([request!.status, failing!.status]).toEqual([{ code: 0 }, { code: 2 }]);
  expect(request!.attributes).toEqual([{ key: 'http.response.status_code', value: { intValue: 201 } }]);
  expect(BigInt(query!.endTimeUnixNano) - BigInt(query!.startTimeUnixNano)).toBeGreaterThan(4_900_000n);
  expect(collector.headers[0]).toMatchObject({ authorization: 'Bearer t', 'content-type': 'application/json' });
});

it("samples the configured share, the same everywhere, and respects the caller's decision", async () => {
  const [some, same] = [await open({ share: 0.25 }), await open({ share: 0.25 })];
  for (let at = 0; at < 2_000; at++) {
    const span = some.tracing.begin(ABOUT, undefined);
    span.end();
    same.tracing.begin(ABOUT, `00-${span.traceId}-00f067aa0ba902b7-01`).end();
  }
  for (const { tracing } of [some, same]) await tracing.close();
  const [chosen, again] = [some, same].map(({ collector }) => new Set(collector.spans.map(({ traceId }) => traceId)));
  expect(Math.abs(chosen!.size - 500)).toBeLessThan(120);
  expect(again).toEqual(chosen);

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

it('drops what exceeds the buffer and what the collector refuses, and logs it once', async () => {
  const { collector, counts, lines, tracing } = await open();
  collector.answer(400);
  for (let at = 0; at < 5_000; at++) tracing.begin(ABOUT, undefined).end();
  await tracing.close();
  expect(await counts()).toEqual({ sent: 0, dropped: 5_000 });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('the collector does not take traces');
});

it('gives up at shutdown if the collector refuses the rest', async () => {
  const { collector, counts, tracing } = await open();
  collector.answer(503);
  for (let at = 0; at < 1_600; at++) tracing.begin(ABOUT, undefined).end();
  await tracing.close();
  expect(await counts()).toEqual({ sent: 0, dropped: 1_600 });
}, 15_000);
