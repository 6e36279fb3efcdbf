// Request lines equal those of pino. Log lines are buffered, and warnings are flushed at once.
import { PassThrough } from 'node:stream';
import pino from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { DatabaseError, markConnectionError } from './database-failures.ts';
import { describeForLog, describeUncaught } from './errors.ts';
import { createBatchedOutput, createOutageLimit, createRequestLog } from './logging.ts';

const LINE = {
  requestId: 'order-42/try:1',
  correlationId: 'trace-7',
  method: 'GET',
  route: '/strings/:id',
  status: 200,
  ms: 0.73,
};

function capture(level: string): { log: pino.Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level, base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}

it('writes the same fields and format as a pino log line', () => {
  const { log, lines } = capture('info');
  createRequestLog(log)(LINE);
  log.info(LINE, 'request');
  const [ours, pinos] = lines;
  expect({ ...ours, time: undefined }).toEqual({ ...pinos, time: undefined });
  expect(Math.abs(Date.parse(String(ours?.['time'])) - Number(pinos?.['time']))).toBeLessThan(60_000);
});

it('omits the request line if the log level is higher', () => {
  const { log, lines } = capture('warn');
  createRequestLog(log)(LINE);
  expect(lines).toEqual([]);
});

it('omits successful health probes unless the level is debug or trace', () => {
  const probe = { ...LINE, route: '/ready' };
  const { log, lines } = capture('info');
  const note = createRequestLog(log);
  for (const route of ['/health', '/ready', '/metrics']) note({ ...probe, route });
  expect(lines).toEqual([]);
  note({ ...probe, status: 503 });
  expect(lines).toMatchObject([{ level: 30, route: '/ready', status: 503 }]);
  const all = capture('debug');
  createRequestLog(all.log)(probe);
  expect(all.lines).toMatchObject([{ level: 20, route: '/ready', msg: 'request' }]);
});

it('writes one line per second and outage cause, and counts the suppressed ones', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const lines: { msg: string; errorCode?: string; request?: number; leftOut?: number }[] = [];
  const output = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = pino({ base: null, timestamp: false, hooks: { logMethod: createOutageLimit() } }, output);
  const fail = (code: string, request: number) =>
    log.child({ request }).error(describeForLog(failOnConnection({ code })), 'a request failed');
  for (let request = 1; request <= 500; request += 1) fail('ECONNREFUSED', request);
  fail('57P01', 501);
  fail('23505', 502);
  fail('23505', 503);
  const take = () => lines.splice(0).map(({ errorCode, request, leftOut }) => [errorCode, request, leftOut]);
  expect(take()).toEqual([
    ['ECONNREFUSED', 1, undefined],
    ['57P01', 501, undefined],
    ['23505', 502, undefined],
    ['23505', 503, undefined],
  ]);
  vi.advanceTimersByTime(1_000);
  expect(take()).toEqual([['ECONNREFUSED', 500, 498]]);
  fail('ECONNREFUSED', 504);
  vi.advanceTimersByTime(1_000);
  expect(take()).toEqual([['ECONNREFUSED', 504, 0]]);
  vi.advanceTimersByTime(10_000);
  fail('ECONNREFUSED', 505);
  expect(take()).toEqual([['ECONNREFUSED', 505, undefined]]);
});

it('describes an outage instead of printing a stack trace', () => {
  const lost = new DatabaseError('lost', 'gone', {
    cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  });
  expect(describeForLog(lost)).toEqual({
    error: 'DatabaseError',
    errorCode: 'lost',
    outage: 'ECONNRESET',
  });
});

it.each([
  [{ code: '57P01', severity: 'FATAL' }, '57P01: smith at 10.0.0.7'],
  [{ code: '28P01', severity: 'FATAL' }, '28P01'],
  [{ code: 'ECONNREFUSED' }, 'ECONNREFUSED'],
  [{}, undefined],
])('redacts the connection details in %j', (facts, outage) => {
  expect(describeForLog(failOnConnection(facts))['outage']).toBe(outage);
});

it.each(['ECONNREFUSED', 'ENOTFOUND', 'EPIPE', 'ENOSPC'])(
  'logs the stack frames but not the message of a third-party %s',
  (code) => {
    const line = describeForLog(Object.assign(new Error('smith at 10.0.0.7'), { code }));
    expect(line).toEqual({ error: 'Error', errorCode: code, frames: expect.arrayContaining([expect.any(String)]) });
    expect(JSON.stringify(line)).not.toContain('smith');
  },
);

it('names the table on which a privilege is missing', () => {
  const error = Object.assign(new Error('permission denied for table strings'), { code: '42501' });
  expect(describeForLog(error)).toMatchObject({ errorCode: '42501', reason: error.message });
});

it('keeps the stack frames of an uncaught outage', () => {
  const { outage, frames } = describeUncaught(failOnConnection({ code: 'ECONNREFUSED' }));
  expect([outage, frames]).toEqual([undefined, expect.arrayContaining([expect.any(String)])]);
});

function failOnConnection(facts: { code?: string; severity?: string }): Error {
  return markConnectionError(Object.assign(new Error('smith at 10.0.0.7'), facts));
}

it('buffers info lines, and flushes them together with the next warning', () => {
  const written: string[] = [];
  const stream = Object.assign(new PassThrough(), { write: (text: string) => written.push(text) > 0 });
  const output = createBatchedOutput(stream);
  const log = pino({ base: null, timestamp: false }, output);
  log.info('one');
  expect(written).toEqual([]);
  log.warn('two');
  expect(written.map(messagesOf)).toEqual([['one', 'two']]);
  log.info('three');
  log.fatal('four');
  expect(written.map(messagesOf)).toEqual([
    ['one', 'two'],
    ['three', 'four'],
  ]);
  log.info('five');
  output.flush();
  expect(written).toHaveLength(3);
});

function messagesOf(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).msg);
}
