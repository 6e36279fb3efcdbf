// A start that fails late closes everything that it opened.
import { existsSync } from 'node:fs';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { openContext } from './context.ts';
import { sqliteFile } from './database/database.ts';

it('closes the database when a later step fails', async () => {
  const place = await createTestDatabase({ empty: true });
  onTestFinished(() => place.dispose());
  const log = pino({ enabled: false });
  // The first log line after the database was opened.
  log.info = () => {
    throw new Error('nobody listens');
  };
  const settings = {
    // A file, because its write-ahead log shows whether it was closed.
    storage: { url: undefined, dataDir: place.dataDir, masterKey: undefined, reserveBytes: 0 },
    databaseWaitSeconds: 0,
    allowDevelopmentKeys: true,
    tracing: undefined,
  };
  const opening = openContext(settings, { clock: createManualClock(), findNewestTime: async () => undefined, log });
  await expect(opening).rejects.toThrow('nobody listens');
  // The last connection to close removes the write-ahead log.
  expect(existsSync(sqliteFile(place.dataDir))).toBe(true);
  expect(existsSync(`${sqliteFile(place.dataDir)}-wal`)).toBe(false);
});
