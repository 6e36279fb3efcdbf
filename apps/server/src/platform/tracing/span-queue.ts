// Sends ended spans to a collector, as OTLP in JSON over HTTP: in batches, one after the other, and never more than the queue holds.
import type { Logger } from 'pino';
import { describeForLog } from '../base/errors.ts';
import { VERSION } from '../base/version.ts';
import type { Outbound } from '../outbound/guarded-fetch.ts';

/** Numbers of the protocol. */
export const SPAN_KINDS = { internal: 1, server: 2, client: 3 } as const;
const STATUS_ERROR = 2;

export interface EndedSpan {
  traceId: string;
  spanId: string;
  parentId: string | undefined;
  name: string;
  kind: keyof typeof SPAN_KINDS;
  /** Milliseconds since 1970, with fractions. */
  startMs: number;
  endMs: number;
  attributes: Readonly<Record<string, string | number>>;
  hasFailed: boolean;
}

interface SpanQueueOptions {
  /** Of the collector; `/v1/traces` is added. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  outbound: Outbound;
  log: Logger;
  everyMs?: number;
  maxQueued?: number;
}

const EVERY_MS = 2_000;
const MAX_BATCH = 512;
const MAX_QUEUED = 4_096;

export type SpanQueue = ReturnType<typeof createSpanQueue>;

export function createSpanQueue(options: SpanQueueOptions) {
  const { endpoint, headers, serviceName, outbound, log, everyMs = EVERY_MS, maxQueued = MAX_QUEUED } = options;
  let queued: EndedSpan[] = [];
  let sending: Promise<void> | undefined;
  let [sent, dropped, isFailing, isClosing] = [0, 0, false, false];
  const timer = setInterval(() => void flush(), everyMs).unref();

  async function send(batch: readonly EndedSpan[]): Promise<void> {
    try {
      const body = Buffer.from(JSON.stringify(describeBatch(batch, serviceName)));
      const sending = { headers: { ...headers, 'content-type': 'application/json' }, body };
      const status = await outbound.post(`${endpoint}/v1/traces`, sending, async (reply) => reply.status);
      if (status < 200 || status >= 300) throw Object.assign(new Error('refused'), { code: `status ${status}` });
      sent += batch.length;
      isFailing = false;
    } catch (error) {
      // Traces are no reason to hold anything up: what the collector does not take is gone, and counted.
      dropped += batch.length;
      if (!isFailing)
        log.warn(describeForLog(error), 'the collector does not take traces; they are dropped until it does');
      isFailing = true;
    }
  }

  function flush(): Promise<void> {
    sending ??= (async () => {
      while (queued.length > 0) {
        const batch = queued.slice(0, MAX_BATCH);
        queued = queued.slice(MAX_BATCH);
        await send(batch);
        if (isClosing && isFailing) {
          // Nobody waits at the end for a collector that does not answer: one batch after the other would take most of a minute.
          dropped += queued.length;
          queued = [];
        }
      }
    })().finally(() => {
      sending = undefined;
    });
    return sending;
  }

  return {
    add(span: EndedSpan): void {
      if (queued.length >= maxQueued) dropped += 1;
      else queued.push(span);
      if (queued.length === MAX_BATCH) void flush();
    },
    counts: () => ({ sent, dropped }),
    /** Sends what is left, once, for as long as the collector takes it. */
    async close(): Promise<void> {
      isClosing = true;
      clearInterval(timer);
      await sending;
      await flush();
      await outbound.close();
    },
  };
}

function describeBatch(batch: readonly EndedSpan[], serviceName: string) {
  const attributes = attributesOf({ 'service.name': serviceName, 'service.version': VERSION });
  const spans = batch.map(
    ({ traceId, spanId, parentId, name, kind, startMs, endMs, attributes: facts, hasFailed }) => ({
      traceId,
      spanId,
      ...(parentId && { parentSpanId: parentId }),
      name,
      kind: SPAN_KINDS[kind],
      startTimeUnixNano: nanosecondsOf(startMs),
      endTimeUnixNano: nanosecondsOf(endMs),
      attributes: attributesOf(facts),
      status: hasFailed ? { code: STATUS_ERROR } : {},
    }),
  );
  return {
    resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { name: 'limen', version: VERSION }, spans }] }],
  };
}

/** More digits than a number holds. */
function nanosecondsOf(ms: number): string {
  return `${BigInt(Math.floor(ms)) * 1_000_000n + BigInt(Math.floor((ms % 1) * 1e6))}`;
}

function attributesOf(facts: Readonly<Record<string, string | number>>) {
  return Object.entries(facts).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
}
