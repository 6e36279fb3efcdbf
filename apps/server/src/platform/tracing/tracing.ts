// Traces of what the service does: what began what, and how long each took. Route patterns, tables and codes, and never a value.
//
// Where tracing is off there is no such object, and nobody who would call it has been set up to.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EndedSpan, SpanQueue } from './span-queue.ts';
import {
  formatTraceparent,
  isChosen,
  newSpanId,
  newTraceId,
  parseTraceparent,
  type TraceContext,
} from './trace-context.ts';

export type SpanAbout = Pick<EndedSpan, 'name' | 'kind' | 'attributes'>;

export interface Span {
  readonly traceId: string;
  /** What has become clear by the end is added. */
  end(outcome?: Partial<SpanAbout> & { hasFailed?: boolean }): void;
}

export interface Tracing {
  /** A request: the caller's trace goes on, or one begins. What `work` starts belongs to it. */
  begin(about: SpanAbout, traceparent: string | undefined): Span;
  enter(span: Span, work: () => void): void;
  /** A call of ours, beneath what is under way, or beneath what `traceparent` names. Given its own, to be passed on. */
  call<T>(about: SpanAbout, work: (traceparent: string) => Promise<T>, traceparent?: string): Promise<T>;
  /** Something that has just ended, beneath what is under way; where nothing is, it is nobody's. */
  note(about: SpanAbout, ms: number, hasFailed: boolean): void;
  /** Of what is under way. */
  current(): string | undefined;
  close(): Promise<void>;
}

interface OpenSpan extends Span {
  context: TraceContext;
}

export function createTracing({ queue, share }: { queue: SpanQueue; share: number }): Tracing {
  const underWay = new AsyncLocalStorage<OpenSpan>();

  function open(about: SpanAbout, parent: TraceContext | undefined): OpenSpan {
    const traceId = parent?.traceId ?? newTraceId();
    // A caller may say that it is not to be recorded; that it is to be, nobody says but the share.
    const isSampled = (parent?.isSampled ?? true) && isChosen(traceId, share);
    const context = { traceId, spanId: newSpanId(), isSampled };
    const startMs = now();
    let isOver = false;
    return {
      traceId,
      context,
      end({ hasFailed = false, attributes, ...outcome } = {}) {
        if (isOver || !isSampled) return;
        isOver = true;
        queue.add({
          ...{ traceId, spanId: context.spanId, parentId: parent?.spanId, ...about, ...outcome },
          ...{ attributes: { ...about.attributes, ...attributes }, startMs, endMs: now(), hasFailed },
        });
      },
    };
  }

  return {
    begin: (about, traceparent) => open(about, parseTraceparent(traceparent)),
    enter: (span, work) => underWay.run(span as OpenSpan, work),
    async call(about, work, traceparent) {
      const span = open(about, parseTraceparent(traceparent) ?? underWay.getStore()?.context);
      try {
        const result = await underWay.run(span, () => work(formatTraceparent(span.context)));
        span.end();
        return result;
      } catch (error) {
        span.end({ hasFailed: true });
        throw error;
      }
    },
    note(about, ms, hasFailed) {
      const parent = underWay.getStore()?.context;
      if (!parent?.isSampled) return;
      const endMs = now();
      const ids = { traceId: parent.traceId, spanId: newSpanId(), parentId: parent.spanId };
      queue.add({ ...about, ...ids, startMs: endMs - ms, endMs, hasFailed });
    },
    current() {
      const context = underWay.getStore()?.context;
      return context && formatTraceparent(context);
    },
    close: () => queue.close(),
  };
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
