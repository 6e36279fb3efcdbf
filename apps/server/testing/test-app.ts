// The whole application on a real database, driven through `inject` or a real port.

import pino from 'pino';
import { onTestFinished } from 'vitest';
import { openDemo } from '../../../tools/demo/server/open-demo.ts';
import { type App, type AppOptions, type AppTuning, createApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import type { ScreeningTuning } from '../src/screening/open.ts';
import { createTestDatabase, type TestDatabase } from './database/test-database.ts';
import { borrowWorker } from './screening/borrowed-worker.ts';

export interface TestApp extends App {
  /** Returns the whole log as text. */
  logged(): string;
}

type TestAppOptions = Omit<AppOptions, 'config' | 'log' | 'tuning'> &
  Omit<AppTuning, 'screening'> & {
    sanctionsTuning?: ScreeningTuning;
    environment?: Record<string, string>;
    database?: TestDatabase;
    /** Cleanup hook; the end of the test by default */
    atEnd?: (dispose: () => Promise<void>) => void;
  };

export async function startTestApp(given: TestAppOptions = {}): Promise<TestApp> {
  const { environment, database, atEnd = onTestFinished, sanctionsTuning, ...rest } = given;
  const { clock, jobClock, timeouts, movements, statusOutbound, ...options } = rest;
  const used = database ?? (await createTestDatabase());
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const config = loadConfig({ NODE_ENV: 'test', PORT: '0', DISK_RESERVE_MB: '0', ...used.environment, ...environment });
  const app = await createApp({
    config,
    log,
    openDemo,
    ...options,
    tuning: {
      clock,
      jobClock,
      timeouts,
      movements,
      statusOutbound,
      screening: { startWorker: borrowWorker, ...sanctionsTuning },
    },
  });
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await app.close();
  };
  atEnd(async () => {
    await close();
    if (!database) await used.dispose();
  });
  return { ...app, close, logged: () => lines.join('') };
}
