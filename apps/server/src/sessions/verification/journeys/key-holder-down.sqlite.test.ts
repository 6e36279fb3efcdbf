// A killed key-holder: dependent calls fail cleanly and lose nothing; others continue.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { startKeyHolder } from '#testing/faces/key-holder-process.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import {
  capture,
  enroll,
  newFace,
  newPersonKey,
  newVerificationHost,
  sameFace,
} from '#testing/sessions/verification-app.ts';
import { startTestApp } from '#testing/test-app.ts';

it('answers 503 while it is down, signs in locally, and recovers when it is back', async () => {
  const storage = await createTestDatabase();
  const secret = randomBytes(32).toString('base64');
  const settings = {
    KEYHOLDER_SECRET: secret,
    KEYHOLDER_DATA_DIR: join(storage.dataDir, 'holder'),
    KEYHOLDER_MASTER_KEY: randomBytes(32).toString('base64'),
  };
  const holder = await startKeyHolder(settings);
  const clock = createManualClock();
  const environment = { SERVE: 'core,launch', KEYHOLDER_URL: holder.address, KEYHOLDER_SECRET: secret };
  const ends: (() => Promise<void>)[] = [];
  const app = await startTestApp({ clock, database: storage, environment, atEnd: (end) => void ends.push(end) });
  const room = { app, storage, clock };
  try {
    const host = await newVerificationHost(room);
    const [face, key] = [newFace(), await newPersonKey()];
    const { deviceId, puid } = await enroll(room, host, face, key);

    const fallback = await capture(room, await host.start('SIGN-IN'));
    await fallback.reach('token');
    const opened = await fallback.challenge();
    if (opened.body.outcome !== 'ready') throw new Error('there is no challenge');
    const body = await fallback.encrypt(sameFace(face), opened.body);
    const enrollment = await capture(room, await host.start('ENROLL'));
    await enrollment.reach('token');
    await holder.stop('SIGKILL');

    for (const call of [() => enrollment.challenge(), () => fallback.send(body), () => fallback.send(body)]) {
      const refused = await call();
      expect(refused).toMatchObject({ status: 503, error: 'keyholder_unavailable' });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
    const local = await capture(room, await host.start('SIGN-IN'));
    await local.reach('token');
    expect((await local.local(deviceId!, key)).body.outcome).toBe('matched');
    await local.answer();
    expect((await host.result(local.id)).body).toMatchObject({ status: 'SUCCESS', puid });

    const port = new URL(holder.address).port;
    await startKeyHolder({ ...settings, KEYHOLDER_PORT: port });
    // The one-time key died with the process; the attempts did not.
    await expect.poll(async () => (await fallback.challenge()).status).toBe(200);
    expect(await fallback.send(body)).toMatchObject({ body: { outcome: 'not_recognized' } });
    expect((await fallback.show(sameFace(face))).body).toEqual({ outcome: 'matched', triesLeft: 1 });
    await fallback.answer();
    expect((await host.result(fallback.id)).body).toMatchObject({ status: 'SUCCESS', puid });
    expect((await enrollment.show(newFace())).body).toEqual({ outcome: 'enrolled', triesLeft: 2 });
    await enrollment.answer();
    expect((await host.result(enrollment.id)).body.status).toBe('SUCCESS');
  } finally {
    for (const end of ends) await end();
    await storage.dispose();
  }
});
