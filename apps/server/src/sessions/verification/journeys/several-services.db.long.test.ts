// Several services share a database and a key-holder: refused attempts add up across them.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestDatabase, IS_SHOWN_ON_POSTGRES } from '#testing/database/test-database.ts';
import { startKeyHolder } from '#testing/faces/key-holder-process.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import {
  capture,
  enroll,
  newAddress,
  newFace,
  newVerificationHost,
  sameFace,
  type VerificationApp,
} from '#testing/sessions/verification-app.ts';
import { startTestApp } from '#testing/test-app.ts';
import { THROTTLE_RULES } from '../../../faces/keyholder/limits.ts';

it.skipIf(IS_SHOWN_ON_POSTGRES)(
  'guesses that are split over two services lock as soon as guesses through one',
  async () => {
    const storage = await createTestDatabase();
    const secret = randomBytes(32).toString('base64');
    const holder = await startKeyHolder({
      KEYHOLDER_SECRET: secret,
      KEYHOLDER_DATA_DIR: join(storage.dataDir, 'holder'),
      KEYHOLDER_MASTER_KEY: randomBytes(32).toString('base64'),
    });
    const clock = createManualClock();
    const environment = { SERVE: 'core,launch', KEYHOLDER_URL: holder.address, KEYHOLDER_SECRET: secret };
    const ends: (() => Promise<void>)[] = [];
    const open = async (): Promise<VerificationApp> => {
      const app = await startTestApp({ clock, database: storage, environment, atEnd: (end) => void ends.push(end) });
      return { app, storage, clock };
    };
    try {
      const [first, second] = [await open(), await open()];
      const host = await newVerificationHost(first);
      const face = newFace();
      await enroll(first, host, face);
      const address = newAddress();
      const begin = async (room: VerificationApp, from: string) => {
        const session = await capture(room, await host.start('SIGN-IN'), { address: from });
        await session.reach('token');
        return session;
      };
      let refused = 0;
      for (let through = first; ; through = through === first ? second : first) {
        const session = await begin(through, address);
        if ((await session.challenge()).body.outcome === 'throttled') break;
        expect((await session.show(newFace())).body.outcome).toBe('not_recognized');
        refused += 1;
      }
      expect(refused).toBe(THROTTLE_RULES.address.refusals);
      for (const room of [first, second]) {
        expect((await (await begin(room, address)).challenge()).body.outcome).toBe('throttled');
        // An address elsewhere finds people through either.
        expect((await (await begin(room, newAddress())).show(sameFace(face))).body.outcome).toBe('matched');
      }
    } finally {
      for (const end of ends) await end();
      await storage.dispose();
    }
  },
);
