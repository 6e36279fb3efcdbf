// The drill: a service is lost and restored elsewhere from its backups; sign-ins and webhooks work
// there.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  createTestDatabase,
  engine,
  IS_SHOWN_ON_POSTGRES,
  type TestDatabase,
} from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { runLimenHere } from '#testing/run-limen.ts';
import {
  capture,
  enroll,
  hostWith,
  newFace,
  newVerificationHost,
  PAGE_ORIGIN,
  sameFace,
} from '#testing/sessions/verification-app.ts';
import { startTestApp } from '#testing/test-app.ts';
import { untilReady } from '#testing/until-ready.ts';
import { startReceiver } from '#testing/webhooks/receiver.ts';

/** Creates an empty place: a file on either engine, or a database like the tests' own. */
async function makePlace(kind: 'file' | 'own'): Promise<TestDatabase> {
  if (kind === 'own') {
    const place = await createTestDatabase({ empty: true });
    onTestFinished(() => place.dispose());
    return place;
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-test-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return { dataDir, url: undefined, environment: { DATA_DIR: dataDir }, dispose: async () => {} };
}

const SERVED = { SERVE: 'core,launch,node', PUBLIC_URL: PAGE_ORIGIN };

// On PostgreSQL, the restore goes through a file and so covers both engines.
it.skipIf(IS_SHOWN_ON_POSTGRES)(
  'sends nothing with WEBHOOKS=hold, then signs a person in, delivers the webhook, and lacks later changes',
  async () => {
    const clock = createManualClock();
    let isUp = false;
    const receiver = await startReceiver(() => (isUp ? 200 : 503));
    const first = await createTestDatabase();
    onTestFinished(() => first.dispose());
    const app = await startTestApp({ clock, database: first, environment: SERVED });
    const host = await newVerificationHost({ app });
    const [face, later] = [newFace(), newFace()];
    const { puid } = await enroll({ app, storage: first, clock }, host, face);
    const told = await capture({ app, clock }, await host.start('SIGN-IN', { callback: { url: receiver.url } }));
    await told.reach('token');
    await told.show(sameFace(face));
    await told.answer();
    await app.jobs.runDue();
    expect(receiver.received).toHaveLength(1);

    // The service is running during the backup.
    const backups = mkdtempSync(join(tmpdir(), 'limen-backups-'));
    onTestFinished(() => rmSync(backups, { recursive: true, force: true }));
    const limen = async (place: TestDatabase, ...args: string[]) => {
      const ended = await runLimenHere(args, { environment: place.environment });
      expect(ended, ended.stderr).toMatchObject({ code: 0 });
      return ended.stdout;
    };
    const service = join(backups, 'service');
    const holder = join(backups, 'key-holder');
    expect(await limen(first, 'backup', service)).toMatch(/^Took \d+ rows of \d+ tables: .* in /);
    await limen(first, 'keyholder', 'backup', holder);
    await enroll({ app, storage: first, clock }, host, later);
    await app.close();

    /** A new machine gets only the two backups and the stored master key. */
    const recover = async (place: TestDatabase, from: string) => {
      mkdirSync(place.dataDir, { recursive: true });
      copyFileSync(join(first.dataDir, 'master.key'), join(place.dataDir, 'master.key'));
      expect(await limen(place, 'restore', '--check', from)).toContain('The backup is whole');
      expect(await limen(place, 'restore', from)).toContain('Restored');
    };
    // Restores through a file on PostgreSQL, so that each engine reads the other's backup.
    let second = await makePlace('file');
    await recover(second, service);
    if (engine === 'postgres') {
      const again = join(backups, 'again');
      await limen(second, 'backup', again);
      second = await makePlace('own');
      await recover(second, again);
    }
    await limen(second, 'keyholder', 'restore', holder);

    isUp = true;
    const held = await startTestApp({ clock, database: second, environment: { ...SERVED, WEBHOOKS: 'hold' } });
    clock.advance(60 * 60 * 1000);
    while ((await held.jobs.runDue()) > 0);
    expect(receiver.received).toHaveLength(1);
    await untilReady(held);
    const ready = await held.http.inject('/ready');
    expect(ready.json()).toMatchObject({ status: 'ready', checks: { webhooks: expect.stringContaining('held') } });
    await held.close();

    const restored = await startTestApp({ clock, database: second, environment: SERVED });
    const room = { app: restored, storage: second, clock };
    const same = hostWith(restored, host.apiKey);
    const signIn = await capture(room, await same.start('SIGN-IN'));
    await signIn.reach('token');
    expect((await signIn.show(sameFace(face))).body).toEqual({ outcome: 'matched', triesLeft: 2 });
    await signIn.answer();
    expect((await same.result(signIn.id)).body).toMatchObject({ status: 'SUCCESS', puid });
    const unknown = await capture(room, await same.start('SIGN-IN'));
    await unknown.reach('token');
    expect((await unknown.show(sameFace(later))).body.outcome).toBe('not_recognized');

    while ((await restored.jobs.runDue()) > 0);
    const [failed, delivered] = receiver.received;
    expect(delivered?.body).toBe(failed!.body);
    expect(JSON.parse(delivered!.body)).toMatchObject({ sessionId: told.id, status: 'SUCCESS', puid });
  },
);
