// Writes structured logs: JSON lines, or short readable lines on a terminal. Callers pass only ids, route patterns and codes, and never
// errors, URLs, headers or bodies.
import pino, { type Logger } from 'pino';

/** Batched lines are written after this time, or at this length. */
const FLUSH_MS = 100;
const BATCH_CHARACTERS = 16_384;
/** A line begins with its level, in tens. From WARN on, the batch is written at once. */
const LEVEL_AT = '{"level":'.length;
const WARN = '4'.charCodeAt(0);

export function createLogSink(level: string): { log: Logger; flush(): void } {
  const base = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: { logMethod: createOutageLimit() },
  };
  if (process.stdout.isTTY) {
    const stream = { write: (line: string) => void process.stdout.write(readable(JSON.parse(line))) };
    return { log: pino(base, stream), flush: () => {} };
  }
  const output = createBatchedOutput(process.stdout);
  return { log: pino(base, output), flush: output.flush };
}

type LogMethod = NonNullable<NonNullable<pino.LoggerOptions['hooks']>['logMethod']>;

const OUTAGE_LINES_EVERY_MS = 1_000;

/** Writes one line a second for each message and cause of an outage, because every request and job fails. `leftOut` counts the others. */
export function createOutageLimit(): LogMethod {
  const withheld = new Map<string, { count: number; writeLast: (leftOut: number) => void }>();
  const writeLater = (key: string) =>
    setTimeout(() => {
      const lines = withheld.get(key)!;
      if (lines.count === 0) return void withheld.delete(key);
      lines.writeLast(lines.count - 1);
      lines.count = 0;
      writeLater(key);
    }, OUTAGE_LINES_EVERY_MS).unref();

  return function (line, write) {
    const [facts, message] = line as unknown as [Record<string, unknown>, string];
    if (facts?.['outage'] === undefined) return write.apply(this, line);
    const [cause] = String(facts['outage']).split(':');
    const key = `${message} ${cause}`;
    const lines = withheld.get(key);
    if (!lines) {
      withheld.set(key, { count: 0, writeLast: () => {} });
      writeLater(key);
      return write.apply(this, line);
    }
    lines.count += 1;
    lines.writeLast = (leftOut) => write.call(this, { ...facts, leftOut } as unknown as string, message);
  };
}

/** Writes lines in batches. pino's asynchronous destination can hang at exit if standard output has no reader; this one drops the lines. */
export function createBatchedOutput(stream: Pick<NodeJS.WritableStream, 'on' | 'write'>): {
  write(line: string): void;
  flush(): void;
} {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  let broken = false;
  stream.on('error', () => {
    broken = true;
  });
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines !== '' && !broken) stream.write(lines);
    lines = '';
  };
  return {
    write(line) {
      lines += line;
      if (lines.length >= BATCH_CHARACTERS || line.charCodeAt(LEVEL_AT) >= WARN) flush();
      else timer ??= setTimeout(flush, FLUSH_MS).unref();
    },
    flush,
  };
}

/** Routes that load balancers and monitoring call every second. A success is logged at `debug`. */
const PROBES: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

export interface RequestLine {
  requestId: string;
  correlationId: string | null;
  traceId?: string | undefined;
  method: string;
  route: string;
  status: number;
  ms: number;
}

/** Writes request lines without pino’s serializer, which is slow. No value can hold a character that JSON escapes. */
export function createRequestLog(log: Logger): (line: RequestLine) => void {
  const stream = (log as unknown as Record<symbol, { write(line: string): void }>)[pino.symbols.streamSym];
  if (!log.isLevelEnabled('info') || !stream) return () => {};
  const showsProbes = log.isLevelEnabled('debug');
  return ({ requestId, correlationId, traceId, method, route, status, ms }) => {
    const isProbe = status < 400 && PROBES.has(route);
    if (isProbe && !showsProbes) return;
    const correlation = correlationId === null ? '' : `"correlationId":"${correlationId}",`;
    const trace = traceId === undefined ? '' : `"traceId":"${traceId}",`;
    stream.write(
      `{"level":${isProbe ? 20 : 30},"time":"${new Date().toISOString()}","requestId":"${requestId}",${correlation}${trace}"method":"${method}",` +
        `"route":"${route}","status":${status},"ms":${ms},"msg":"request"}\n`,
    );
  };
}

const LEVEL_NAMES: Record<number, string> = { 20: 'debug', 30: 'info', 40: 'WARN', 50: 'ERROR', 60: 'FATAL' };

function readable({ level, time, msg, ...rest }: Record<string, unknown>): string {
  const clock = String(time).slice(11, 23);
  const facts = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${clock} ${LEVEL_NAMES[Number(level)] ?? level} ${msg} ${facts.join(' ')}\n`;
}
