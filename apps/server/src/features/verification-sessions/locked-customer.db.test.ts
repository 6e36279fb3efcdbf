// A customer that strangers have got locked: who has shown more than a face still gets in.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import {
  capture,
  enrol,
  newFace,
  newPersonKey,
  newVerificationHost,
  sameFace,
  useVerificationApp,
} from './testing/verification-app.ts';

const room = useVerificationApp({ LOCAL_SIGN_INS: '1' });
const HOUR_MS = 3_600_000;

/** As 600 refused attempts would. */
function lockEveryCustomer(): void {
  const keys = new DatabaseSync(join(room.storage.dataDir, 'keyholder', 'keyholder.sqlite'), { timeout: 5_000 });
  keys
    .prepare("insert into locks (scope, subject, until, times) select 'customer', customer, ?, 6 from enrol_keys")
    .run(Date.now() + HOUR_MS);
  keys.close();
}

it('a known device is compared while a stranger waits', async () => {
  const host = await newVerificationHost(room);
  const [face, key] = [newFace(), await newPersonKey()];
  const { deviceId } = await enrol(room, host, face, key);
  lockEveryCustomer();
  const begin = async () => {
    const session = await capture(room, await host.start('SIGN-IN'));
    await session.reach('token');
    return session;
  };
  expect((await (await begin()).challenge()).body.outcome).toBe('throttled');
  const known = await begin();
  expect((await known.local(deviceId!, key)).body).toEqual({ outcome: 'server_required' });
  expect((await known.show(sameFace(face))).body.outcome).toBe('matched');
});
