// Traces, sent to a collector by OpenTelemetry's SDK. They name route patterns, tables and codes, and never a value. Without a
// collector, the SDK is not loaded and nothing is watched.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '@opentelemetry/api';
import type { ExportResult } from '@opentelemetry/core';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import { describeForLog, StartError } from '../base/errors.ts';
import { SERVICE, VERSION } from '../base/version.ts';
import type { Engine } from '../database/database.ts';
import type { QueryListener } from '../database/sqlite-dialect.ts';
import { createGuardedLookup, requireAllowedLiteral } from '../outbound/guarded-fetch.ts';
import type { Metrics } from '../watch/metrics.ts';

export interface TracingSettings {
  /** Address of the collector; `/v1/traces` is added */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  /** Share of traces that are recorded, from 0 to 1 */
  share: number;
}

interface SpanAbout {
  name: string;
  kind: 'internal' | 'server' | 'client';
  attributes: Readonly<Record<string, string | number>>;
}

const MAX_QUEUED = 4_096;
/** Maximum wait for the collector at a stop */
const CLOSE_MS = 3_000;

export type Tracing = Awaited<ReturnType<typeof openTracing>>;
export type Span = ReturnType<Tracing['begin']>;

export async function openTracing({ endpoint, headers, share }: TracingSettings, log: Logger, metrics: Metrics) {
  const loaded = await loadSdk();
  const [api, core, sdk, , { resourceFromAttributes }] = loaded;
  requireAllowedLiteral(new URL(endpoint), true);
  const kinds = { internal: api.SpanKind.INTERNAL, server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT };
  const underWay = new AsyncLocalStorage<Context>();
  const spans = countSpans(loaded, { endpoint, headers }, log, metrics);
  // A caller may opt out of recording its trace, but not opt in: the trace id decides.
  const chosen = new sdk.TraceIdRatioBasedSampler(share);
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': SERVICE, 'service.version': VERSION }),
    sampler: new sdk.ParentBasedSampler({ root: chosen, remoteParentSampled: chosen }),
    spanProcessors: [spans.processor],
  });
  const tracer = provider.getTracer(SERVICE, VERSION);

  function start({ name, kind, attributes }: SpanAbout, parent: Context, startTime = now()) {
    const span = tracer.startSpan(name, { kind: kinds[kind], attributes, startTime }, parent);
    return {
      context: api.trace.setSpan(parent, span),
      traceId: span.spanContext().traceId,
      /** Adds attributes that are known only at the end. */
      end({ name, attributes, hasFailed }: Partial<SpanAbout> & { hasFailed?: boolean } = {}): void {
        if (name !== undefined) span.updateName(name);
        if (attributes) span.setAttributes(attributes);
        if (hasFailed) span.setStatus({ code: api.SpanStatusCode.ERROR });
        span.end(now());
      },
    };
  }
  function isRecorded(context: Context): boolean {
    return (api.trace.getSpanContext(context)!.traceFlags & api.TraceFlags.SAMPLED) !== 0;
  }
  function readTraceparent(text = ''): Context | undefined {
    const remote = core.parseTraceParent(text);
    return remote ? api.trace.setSpanContext(api.ROOT_CONTEXT, { ...remote, isRemote: true }) : undefined;
  }
  function writeTraceparent(context: Context): string {
    const { traceId, spanId } = api.trace.getSpanContext(context)!;
    return `00-${traceId}-${spanId}-0${isRecorded(context) ? 1 : 0}`;
  }
  return {
    /** Begins the span of a request, in the caller's trace or a new one. */
    begin: (about: SpanAbout, traceparent: string | undefined) =>
      start(about, readTraceparent(traceparent) ?? api.ROOT_CONTEXT),
    /** Runs `work` within the span. */
    enter: ({ context }: { context: Context }, work: () => void): void => underWay.run(context, work),
    /** Runs an outgoing call within the current span, or within the one of `traceparent`. Passes on its own traceparent. */
    async call<T>(about: SpanAbout, work: (traceparent: string) => Promise<T>, traceparent?: string): Promise<T> {
      const span = start(about, readTraceparent(traceparent) ?? underWay.getStore() ?? api.ROOT_CONTEXT);
      try {
        const result = await underWay.run(span.context, () => work(writeTraceparent(span.context)));
        span.end();
        return result;
      } catch (error) {
        span.end({ hasFailed: true });
        throw error;
      }
    },
    /** Records something that has just ended within the current span, if there is one. */
    note(about: SpanAbout, ms: number, hasFailed: boolean): void {
      const parent = underWay.getStore();
      if (parent && isRecorded(parent)) start(about, parent, now() - ms).end({ hasFailed });
    },
    current(): string | undefined {
      const context = underWay.getStore();
      return context && writeTraceparent(context);
    },
    /** Sends the rest. Spans that the collector does not take in time are dropped. */
    async close(): Promise<void> {
      await Promise.race([provider.shutdown(), pause(CLOSE_MS)]);
      spans.dropRest();
    },
  };
}

/** Creates the processor that sends spans in batches and counts them. */
function countSpans(
  [, core, sdk, { OTLPTraceExporter }]: Awaited<ReturnType<typeof loadSdk>>,
  { endpoint, headers }: Pick<TracingSettings, 'endpoint' | 'headers'>,
  log: Logger,
  metrics: Metrics,
) {
  let [queued, sent, dropped, isFailing, isClosed] = [0, 0, 0, false, false];
  metrics.addCounter('limen_trace_spans_total', 'Spans that the collector took.', () => sent);
  metrics.addCounter('limen_trace_spans_dropped_total', 'Spans that were dropped.', () => dropped);

  class CountingExporter extends OTLPTraceExporter {
    override export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
      super.export(spans, (result) => {
        if (isClosed) return;
        const isTaken = result.code === core.ExportResultCode.SUCCESS;
        queued -= spans.length;
        if (isTaken) sent += spans.length;
        else dropped += spans.length;
        if (!isTaken && !isFailing)
          log.warn(describeForLog(result.error), 'the collector does not take traces; they are dropped until it does');
        isFailing = !isTaken;
        // After a failure, the SDK would not wait for the other batches.
        done({ code: core.ExportResultCode.SUCCESS });
      });
    }
  }
  class CountingProcessor extends sdk.BatchSpanProcessor {
    override onEnd(span: ReadableSpan): void {
      if (queued === MAX_QUEUED) dropped += 1;
      else {
        queued += 1;
        super.onEnd(span);
      }
    }
  }
  const exporter = new CountingExporter({
    url: `${endpoint}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: 5_000,
    httpAgentOptions: { keepAlive: true, lookup: createGuardedLookup(true) },
  });
  return {
    processor: new CountingProcessor(exporter, { maxQueueSize: MAX_QUEUED, scheduledDelayMillis: 2_000 }),
    dropRest(): void {
      isClosed = true;
      dropped += queued;
    },
  };
}

async function loadSdk() {
  try {
    return await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/core'),
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  } catch (error) {
    const sentence =
      'OTEL_EXPORTER_OTLP_ENDPOINT needs the optional packages of OpenTelemetry: install with "npm ci", or leave it out.';
    throw new StartError(sentence, { cause: error });
  }
}

function now(): number {
  return performance.timeOrigin + performance.now();
}

const SYSTEMS = { sqlite: 'sqlite', postgres: 'postgresql' } as const;

/** Returns a listener that records queries by operation and table, without their texts and values. */
export function traceQueries(tracing: Tracing, engine: Engine): QueryListener {
  return (sql, ms, hasFailed) => {
    const operation = /^\s*(\w+)/.exec(sql)?.[1]?.toLowerCase() ?? 'query';
    const table = /\b(?:from|into|update|join)\s+"(\w+)"/.exec(sql)?.[1];
    const names = { 'db.system.name': SYSTEMS[engine], 'db.operation.name': operation };
    const attributes = table === undefined ? names : { ...names, 'db.collection.name': table };
    const name = table === undefined ? operation : `${operation} ${table}`;
    tracing.note({ name, kind: 'client', attributes }, ms, hasFailed);
  };
}
