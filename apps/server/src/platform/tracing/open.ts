// Traces as the settings want them: to a collector of the operator's choice.
import type { Logger } from 'pino';
import { SERVICE } from '../base/version.ts';
import type { Engine } from '../database/database.ts';
import type { OnQuery } from '../database/sqlite-dialect.ts';
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

const SYSTEMS = { sqlite: 'sqlite', postgres: 'postgresql' } as const;

/** Returns a listener that makes spans of queries: what was done to which table. Their texts and values stay out. */
export function traceQueries(tracing: Tracing, engine: Engine): OnQuery {
  return (sql, ms, hasFailed) => {
    const operation = /^\s*(\w+)/.exec(sql)?.[1]?.toLowerCase() ?? 'query';
    const table = /\b(?:from|into|update|join)\s+"(\w+)"/.exec(sql)?.[1];
    tracing.note(
      {
        name: table ? `${operation} ${table}` : operation,
        kind: 'client',
        attributes: {
          'db.system.name': SYSTEMS[engine],
          'db.operation.name': operation,
          ...(table && { 'db.collection.name': table }),
        },
      },
      ms,
      hasFailed,
    );
  };
}
