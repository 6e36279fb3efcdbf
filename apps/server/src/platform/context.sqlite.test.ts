// A start that fails late leaves nothing open.
import { existsSync } from 'node:fs';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { openContext } from './context.ts';
import { sqliteFile } from './database/database.ts';

it('closes the database when something after it fails', async () => {
  const place = await createTestDatabase({ empty: true });
  onTestFinished(() => place.dispose());
  const log = pino({ enabled: false });
  // The first thing that is said once the database is open.
  log.info = () => {
    throw new Error('nobody listens');
  };
  const settings = {
    // A file shows whether it was closed.
    storage: { url: undefined, dataDir: place.dataDir, masterKey: undefined, reserveBytes: 0 },
    databaseWaitSeconds: 0,
    allowDevelopmentKeys: true,
    tracing: undefined,
  };
  const opening = openContext(settings, { clock: createManualClock(), findNewestTime: async () => undefined, log });
  await expect(opening).rejects.toThrow('nobody listens');
  // The last connection to close takes the write-ahead log with it.
  expect(existsSync(sqliteFile(place.dataDir))).toBe(true);
  expect(existsSync(`${sqliteFile(place.dataDir)}-wal`)).toBe(false);
});
