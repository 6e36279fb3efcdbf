// A customer locked by strangers: people with more than a face still get in.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import {
  capture,
  enroll,
  newFace,
  newPersonKey,
  newVerificationHost,
  sameFace,
  useVerificationApp,
} from '#testing/sessions/verification-app.ts';

const room = useVerificationApp({ LOCAL_SIGN_INS: '1' });
const HOUR_MS = 3_600_000;

/** Same effect as 600 refused attempts. */
function lockEveryCustomer(): void {
  const keys = new DatabaseSync(join(room.storage.dataDir, 'keyholder', 'keyholder.sqlite'), { timeout: 5_000 });
  keys
    .prepare("insert into locks (scope, subject, until, times) select 'customer', customer, ?, 6 from enrol_keys")
    .run(Date.now() + HOUR_MS);
  keys.close();
}

it('compares vouched devices while strangers and devices bound by a face alone must wait', async () => {
  const host = await newVerificationHost(room);
  const [face, key, thiefKey] = [newFace(), await newPersonKey(), await newPersonKey()];
  const { deviceId } = await enroll(room, host, face, key);
  const begin = async () => {
    const session = await capture(room, await host.start('SIGN-IN'));
    await session.reach('token');
    return session;
  };
  const thief = await begin();
  const bound = (await thief.show(sameFace(face), thiefKey)).body.deviceId!;
  await thief.answer();
  lockEveryCustomer();
  expect((await (await begin()).challenge()).body.outcome).toBe('throttled');
  const known = await begin();
  expect((await known.local(deviceId!, key)).body).toEqual({ outcome: 'server_required' });
  expect((await known.show(sameFace(face))).body.outcome).toBe('matched');
  const unvouched = await begin();
  expect((await unvouched.local(bound, thiefKey)).body).toEqual({ outcome: 'server_required' });
  expect((await unvouched.challenge()).body.outcome).toBe('throttled');
  expect((await host.trustDevice(thief.id)).status).toBe(204);
  expect((await unvouched.challenge()).body.outcome).toBe('ready');
});
