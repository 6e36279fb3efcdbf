// Structured logs: JSON lines, or short readable ones on a terminal. What must not be logged is kept out at the source:
// call sites pass ids, route patterns and codes, never errors, URLs, headers or bodies.
import pino, { type Logger } from 'pino';

/** Lines are gathered for this long before they are written; errors are written at once. */
const FLUSH_MS = 100;

export interface LogSink {
  log: Logger;
  /** Writes what is still gathered. */
  flush(): void;
}

export function createLogSink(level: string): LogSink {
  const base = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (process.stdout.isTTY) {
    const stream = { write: (line: string) => void process.stdout.write(readable(JSON.parse(line))) };
    return { log: pino(base, stream), flush: () => {} };
  }
  const destination = pino.destination({ fd: 1, sync: false, minLength: 4_096, periodicFlush: FLUSH_MS });
  return { log: pino(base, destination), flush: () => destination.flushSync() };
}

const LEVEL_NAMES: Record<number, string> = { 20: 'debug', 30: 'info', 40: 'WARN', 50: 'ERROR', 60: 'FATAL' };

function readable({ level, time, msg, ...rest }: Record<string, unknown>): string {
  const clock = String(time).slice(11, 23);
  const facts = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${clock} ${LEVEL_NAMES[Number(level)] ?? level} ${msg} ${facts.join(' ')}\n`;
}
