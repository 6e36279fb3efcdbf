// Traces of what the service does: what began what, and how long each took. Route patterns, tables and codes, and never a value.
//
// Where tracing is off there is no such object, and nobody who would call it has been set up to.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { EndedSpan, SpanQueue } from './span-queue.ts';

export type SpanAbout = Pick<EndedSpan, 'name' | 'kind' | 'attributes'>;

export interface Span {
  readonly traceId: string;
  /** What has become clear by the end is added. */
  end(outcome?: Partial<SpanAbout> & { hasFailed?: boolean }): void;
}

/** Names of a trace and a span, as W3C Trace Context writes them: taken from callers, passed on to receivers */
interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 of them. */
  spanId: string;
  /** Whether it is recorded. */
  isSampled: boolean;
}

interface OpenSpan extends Span {
  context: TraceContext;
}

export type Tracing = ReturnType<typeof createTracing>;

export function createTracing({ queue, share }: { queue: SpanQueue; share: number }) {
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
    /** Begins the span of a request: the caller's trace goes on, or one begins. */
    begin: (about: SpanAbout, traceparent: string | undefined): Span => open(about, parseTraceparent(traceparent)),
    /** Runs `work` beneath the span. */
    enter: (span: Span, work: () => void): void => underWay.run(span as OpenSpan, work),
    /** Runs a call of ours beneath what is under way, or beneath what `traceparent` names, and gives it its own to pass on. */
    async call<T>(about: SpanAbout, work: (traceparent: string) => Promise<T>, traceparent?: string): Promise<T> {
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
    /** Notes something that has just ended, beneath what is under way. Nothing is noted if there is nothing under way. */
    note(about: SpanAbout, ms: number, hasFailed: boolean): void {
      const parent = underWay.getStore()?.context;
      if (!parent?.isSampled) return;
      const endMs = now();
      const ids = { traceId: parent.traceId, spanId: newSpanId(), parentId: parent.spanId };
      queue.add({ ...about, ...ids, startMs: endMs - ms, endMs, hasFailed });
    },
    current(): string | undefined {
      const context = underWay.getStore()?.context;
      return context && formatTraceparent(context);
    },
    close: () => queue.close(),
  };
}

function now(): number {
  return performance.timeOrigin + performance.now();
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** Undefined for what is none; then a new trace begins. */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  const [, version, traceId, spanId, flags, more] = FORM.exec(text ?? '') ?? [];
  if (!traceId || !spanId || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  // Later versions may say more behind the flags; this one may not.
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags!, 16) & SAMPLED) === SAMPLED };
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

/** The same for one trace wherever it is asked, so that all processes record the same ones. */
export function isChosen(traceId: string, share: number): boolean {
  return Number.parseInt(traceId.slice(-13), 16) < share * 16 ** 13;
}
