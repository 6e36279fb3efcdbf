// A new machine of a cluster has no data folder, and neither a database file nor a key file creates
// one.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { startTestApp } from '#testing/test-app.ts';

it('is ready with a missing DATA_DIR, and logs its process and host', async () => {
  const database = await createTestDatabase({ empty: true });
  const folder = mkdtempSync(join(tmpdir(), 'limen-new-machine-'));
  onTestFinished(async () => {
    await database.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  const masterKey = randomBytes(32).toString('base64');
  const environment = { SERVE: 'core', MASTER_KEY: masterKey, DATA_DIR: join(folder, 'not', 'there') };
  const app = await startTestApp({ database, environment });
  const reply = await app.http.inject({ url: '/ready' });
  expect(JSON.parse(reply.body)).toMatchObject({ checks: { disk: expect.anything() } });
  const [process] = await app.database.queries.selectFrom('processes').select('id').execute();
  expect(app.logged()).toContain(`"process":"${process!.id}","host":${JSON.stringify(hostname())},"pid":`);
  await app.close();
});
