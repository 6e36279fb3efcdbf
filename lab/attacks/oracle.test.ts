// Repeated queries to learn from replies, over HTTP: the throttle replies instead, even to the
// right face.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  capture,
  enroll,
  type Face,
  newAddress,
  newFace,
  newVerificationHost,
  sameFace,
  useVerificationApp,
  type VerificationHost,
} from '../../apps/server/testing/sessions/verification-app.ts';
import { bodyOfCall, withBody } from './forge-call.ts';

/** Few, so that they are soon used up. */
const ENROLLMENTS = 8;
const room = useVerificationApp({ KEYHOLDER_ENROLMENTS_PER_ADDRESS: String(ENROLLMENTS) });
let host: VerificationHost;
let victim: Face;
let puid: string;

beforeAll(async () => {
  host = await newVerificationHost(room);
  victim = newFace();
  ({ puid } = await enroll(room, host, victim));
});

/** Creates sessions with the same request until the reply is not a refusal. */
async function probeUntilThrottled(
  newTry: () => { type: string; more?: object; address: string; face: Face; isBroken?: boolean },
): Promise<number> {
  for (let refusals = 0; refusals < 40; ) {
    const { type, more, address, face, isBroken = false } = newTry();
    const session = await capture(room, await host.start(type, more), { address });
    await session.reach('token');
    for (let tries = 0; tries < 3; tries += 1) {
      const { body: challenge } = await session.challenge();
      if (challenge.outcome === 'throttled') {
        expect(challenge.retryAfter).toBeGreaterThan(0);
        await session.answer();
        expect((await host.result(session.id)).body).toMatchObject({
          status: 'FAILED',
          retryAfter: expect.any(Number),
        });
        return refusals;
      }
      const call = await session.encrypt(face, challenge);
      const body = Buffer.from(bodyOfCall(call));
      if (isBroken) body[0]! ^= 1;
      const reply = (await session.send(withBody(call, body))).body;
      if (reply.outcome === 'throttled') {
        expect(reply.retryAfter).toBeGreaterThan(0);
        return refusals;
      }
      expect(reply.outcome).toBe('not_recognized');
      refusals += 1;
    }
  }
  throw new Error('there was no end to it');
}

async function enrollFrom(address: string) {
  const session = await capture(room, await host.start('ENROLL'), { address });
  await session.reach('token');
  return session;
}

describe('probing', () => {
  it('from one address ends after twenty refusals on any device, and the right face waits too', async () => {
    const address = newAddress();
    expect(await probeUntilThrottled(() => ({ type: 'SIGN-IN', address, face: newFace() }))).toBe(20);
    const session = await capture(room, await host.start('SIGN-IN'), { address });
    await session.reach('token');
    expect((await session.challenge()).body).toEqual({ outcome: 'throttled', retryAfter: expect.any(Number) });
    // Another address is not affected.
    const elsewhere = await capture(room, await host.start('SIGN-IN'));
    await elsewhere.reach('token');
    expect((await elsewhere.show(sameFace(victim))).body).toMatchObject({ outcome: 'matched' });
  });

  it('with malformed probes that reveal the key counts equally, including enrollments', async () => {
    const address = newAddress();
    const types = ['SIGN-IN', 'ENROLL'];
    const probe = () => ({ type: types.reverse()[0]!, address, face: victim, isBroken: true });
    expect(await probeUntilThrottled(probe)).toBe(20);
  });

  it('by enrollment ends equally soon for known and unknown faces, also through addresses of one network', async () => {
    for (let asked = 0; asked < ENROLLMENTS; asked += 1) {
      const session = await enrollFrom(`2001:db8:7:7::${asked.toString(16)}`);
      const face = asked % 2 === 0 ? sameFace(victim) : newFace();
      expect((await session.show(face)).body.outcome).toBe('enrolled');
    }
    expect((await (await enrollFrom('2001:db8:7:7:8::')).challenge()).body.outcome).toBe('throttled');
    expect((await (await enrollFrom('2001:db8:7:8::')).challenge()).body.outcome).toBe('ready');
  });

  it('of one person from changing addresses ends after ten', async () => {
    const { puid: own } = await enroll(room, host, newFace());
    const probe = () => ({ type: 'VERIFY', more: { userId: own }, address: newAddress(), face: newFace() });
    expect(await probeUntilThrottled(probe)).toBe(10);
    // No one else is affected.
    const session = await capture(room, await host.start('VERIFY', { userId: puid }));
    await session.reach('token');
    expect((await session.show(sameFace(victim))).body).toMatchObject({ outcome: 'matched' });
  });
});
