// Log lines of verification sessions name no session, person or device.
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

const room = useVerificationApp();

it('logs the course of a session in debugMode, but never the person', async () => {
  const host = await newVerificationHost(room);
  const [face, key] = [newFace(), await newPersonKey()];
  const { puid, guid, deviceId } = await enroll(room, host, face, key);
  expect(room.app.logged()).not.toContain('a face was compared');

  const more = { debugMode: ['1', '3'], transactionID: 'order-of-ann', deviceInfo: { model: 'phone-of-ann' } };
  const session = await capture(room, await host.start('SIGN-IN', more));
  await session.reach('token');
  await session.local(deviceId!, await newPersonKey());
  await session.challenge();
  await session.send(Buffer.alloc(1 + 65 + 13_352, 1).fill(0, 1, 66)); // not a token at all
  await session.show(sameFace(face));
  await session.answer();
  expect((await host.result(session.id)).body.status).toBe('SUCCESS');

  const logged = room.app.logged();
  expect(logged).toContain('"outcome":"refused","msg":"a device compared a face itself"');
  expect(logged).toContain('"outcome":"not_recognized"');
  expect(logged).toContain('"outcome":"matched"');
  // Its lines name the session, which its host knows, but never the person.
  expect(logged).toContain(`"sessionId":"${session.id}"`);
  for (const secret of [session.plan.nonce, session.device.key, host.apiKey, puid, guid, deviceId!]) {
    expect(logged).not.toContain(secret);
  }
  for (const word of ['of-ann', key.point.toString('base64url')]) expect(logged).not.toContain(word);
});
