// The hand-made request line is what pino would have written; lines are gathered, and those that warn are not kept waiting.
import { PassThrough } from 'node:stream';
import pino from 'pino';
import { expect, it } from 'vitest';
import { createBatchedOutput, createRequestLog } from './logging.ts';

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

it('has the fields of a log line, in the same form', () => {
  const { log, lines } = capture('info');
  createRequestLog(log)(LINE);
  log.info(LINE, 'request');
  const [ours, pinos] = lines;
  expect({ ...ours, time: undefined }).toEqual({ ...pinos, time: undefined });
  expect(Math.abs(Date.parse(String(ours?.['time'])) - Number(pinos?.['time']))).toBeLessThan(60_000);
});

it('is left out where the level is higher', () => {
  const { log, lines } = capture('warn');
  createRequestLog(log)(LINE);
  expect(lines).toEqual([]);
});

it('leaves out probes that succeed unless everything is logged', () => {
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

it('gathers what tells, and writes what warns at once with all that came before it', () => {
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
