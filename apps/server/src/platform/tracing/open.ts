// Traces as the settings want them: to a collector of the operator's choice.
import type { Logger } from 'pino';
import { SERVICE } from '../base/version.ts';
import { createOutbound } from '../outbound/guarded-fetch.ts';
import type { Metrics } from '../watch/metrics.ts';
import { createSpanQueue } from './span-queue.ts';
import { createTracing, type Tracing } from './tracing.ts';

export interface TracingSettings {
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  /** Of all traces, from 0 to 1. */
  share: number;
}

const PATIENCE_MS = 5_000;

export function openTracing({ endpoint, headers, share }: TracingSettings, log: Logger, metrics: Metrics): Tracing {
  const outbound = createOutbound({
    allowPrivate: true, // the operator chose the address
    maxConcurrent: 1,
    headersTimeoutMs: PATIENCE_MS,
    idleTimeoutMs: PATIENCE_MS,
    totalTimeoutMs: PATIENCE_MS,
    maxRedirects: 0,
  });
  const queue = createSpanQueue({ endpoint, headers, serviceName: SERVICE, outbound, log });
  metrics.addCounter('limen_trace_spans_total', 'Spans that the collector took.', () => queue.counts().sent);
  metrics.addCounter('limen_trace_spans_dropped_total', 'Spans that were dropped.', () => queue.counts().dropped);
  return createTracing({ queue, share });
}
