// The context for parts that a test opens separately, on the test's database.
import pino from 'pino';
import type { Clock } from '../src/platform/base/clock.ts';
import { createIds } from '../src/platform/base/ids.ts';
import type { Context } from '../src/platform/context.ts';
import { createCore } from '../src/platform/core.ts';
import type { Database } from '../src/platform/database/database.ts';
import type { KeyringOptions } from '../src/platform/sealing/keyring.ts';
import { openStorage, type Storage } from '../src/platform/storage.ts';
import { createMetrics } from '../src/platform/watch/metrics.ts';
import { createReadiness } from '../src/platform/watch/readiness.ts';
import type { TestDatabase } from './database/test-database.ts';
import { createManualClock } from './manual-clock.ts';

interface TestContext extends Context {
  presence: Storage['presence'];
  /** Returns the whole log as text. */
  logged(): string;
  /** Closes the database. */
  close(): Promise<void>;
}

interface TestContextOptions<TestClock extends Clock> {
  clock?: TestClock;
  masterKey?: KeyringOptions['masterKey'];
  /** Injects faults. */
  wrapDatabase?: ((database: Database) => Database) | undefined;
}

export async function testContext<TestClock extends Clock = ReturnType<typeof createManualClock>>(
  place: Pick<TestDatabase, 'url' | 'dataDir'>,
  { clock = createManualClock() as Clock as TestClock, masterKey, wrapDatabase }: TestContextOptions<TestClock> = {},
): Promise<TestContext & { clock: TestClock }> {
  const ids = createIds(clock);
  const { database: opened, sealer, presence } = await openStorage({ ...place, masterKey, clock, ids });
  const database = wrapDatabase?.(opened) ?? opened;
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const core = createCore({ database, sealer, clock, ids, log, allowDevelopmentKeys: true });
  const watch = { metrics: createMetrics(false), readiness: createReadiness(), tracing: undefined };
  return { ...core, ...watch, clock, presence, logged: () => lines.join(''), close: () => opened.close() };
}
