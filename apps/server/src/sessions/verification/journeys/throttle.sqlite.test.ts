// Throttles seen by a device: own accounts buy no guesses, and locked people look like others.
import { IS_LONG } from '@limen/testing/rounds.ts';
import { expect, it } from 'vitest';
import {
  type Capture,
  capture,
  enroll,
  type Face,
  newAddress,
  newFace,
  newVerificationHost,
  sameFace,
  useVerificationApp,
  type VerificationApp,
  type VerificationHost,
} from '#testing/sessions/verification-app.ts';

const PROXY = '127.0.0.1';
const room = useVerificationApp({ MAX_PEOPLE: '4', TRUST_PROXY: PROXY });

/** The service behind a proxy that adds the port, which differs in each call. */
function behindProxy(client: string): VerificationApp {
  const { http } = room.app;
  let port = 40_000;
  const inject: typeof http.inject = ((options: { headers?: object }) => {
    port += 1;
    const headers = { ...options.headers, 'x-forwarded-for': `${client}:${port}` };
    return http.inject({ ...options, remoteAddress: PROXY, headers });
  }) as never;
  return { ...room, app: { ...room.app, http: { inject } as typeof http } };
}

async function begin(
  host: VerificationHost,
  type: string,
  address: string,
  more: object = {},
  through: VerificationApp = room,
): Promise<Capture> {
  const session = await capture(through, await host.start(type, more), { address });
  await session.reach('token');
  return session;
}

it('grants no extra guesses for signing in as oneself, with any session keys and ports', async () => {
  const host = await newVerificationHost(room);
  const mine = newFace();
  await enroll(room, host, mine);
  const address = newAddress();
  const proxied = behindProxy(address);
  let refused = 0;
  for (let nth = 0; nth < 12; nth++) {
    const session = await begin(host, 'SIGN-IN', address, {}, proxied);
    if ((await session.challenge()).body.outcome === 'throttled') break;
    for (let time = 0; time < 2; time++) {
      const { outcome } = (await session.show(newFace())).body;
      expect(outcome).toBe('not_recognized');
      refused += 1;
    }
    if (refused < 20) expect((await session.show(sameFace(mine))).body.outcome).toBe('matched');
  }
  expect(refused).toBe(20);
  const elsewhere = await begin(host, 'SIGN-IN', newAddress());
  expect((await elsewhere.show(sameFace(mine))).body.outcome).toBe('matched');
});

it('answers a locked person alike for the right and a wrong face, and uses up the attempt', async () => {
  const host = await newVerificationHost(room);
  const face = newFace();
  const { puid } = await enroll(room, host, face);
  let refused = 0;
  while (refused < 10) {
    const session = await begin(host, 'VERIFY', newAddress(), { userId: puid });
    for (let time = 0; time < 3 && refused < 10; time++) {
      expect((await session.show(newFace())).body.outcome).toBe('not_recognized');
      refused += 1;
    }
  }
  const answerTo = async (type: string, shown: Face, more: object = {}) => {
    const session = await begin(host, type, newAddress(), more);
    const challenge = await session.challenge();
    if (challenge.body.outcome !== 'ready') throw new Error('there is no challenge');
    const body = await session.encrypt(shown, challenge.body);
    const first = (await session.send(body)).body;
    // After a lost reply, the repeated call gets the same answer at no cost.
    expect((await session.send(body)).body).toEqual(first);
    return first;
  };
  const toStranger = await answerTo('SIGN-IN', newFace());
  expect(toStranger).toEqual({ outcome: 'not_recognized', triesLeft: 2 });
  expect(await answerTo('SIGN-IN', sameFace(face))).toEqual(toStranger);
  const alike = { outcome: 'throttled', retryAfter: expect.any(Number), triesLeft: 2 };
  expect(await answerTo('VERIFY', newFace(), { userId: puid })).toEqual(alike);
  expect(await answerTo('VERIFY', sameFace(face), { userId: puid })).toEqual(alike);
  // An enrollment reveals nothing either: the host sees a person without vouching.
  expect(await answerTo('ENROLL', sameFace(face))).toEqual(await answerTo('ENROLL', newFace()));
  const enrollment = await begin(host, 'ENROLL', newAddress());
  await enrollment.show(sameFace(face));
  await enrollment.answer();
  expect((await host.result(enrollment.id)).body).toMatchObject({
    status: 'SUCCESS',
    puid,
    message: 'User already enrolled',
    riskEvaluation: { recommendation: 'REVIEW', flags: ['NEW_DEVICE'] },
  });
});

it.runIf(IS_LONG)(
  'one enrollment does not tell whether the face is enrolled by what becomes of the address',
  async () => {
    const host = await newVerificationHost(room);
    const face = newFace();
    await enroll(room, host, face);
    const seen: string[] = [];
    for (const shown of [sameFace(face), newFace()]) {
      const address = newAddress();
      for (let refused = 0; refused < 19; ) {
        const session = await begin(host, 'SIGN-IN', address);
        for (let time = 0; time < 3 && refused < 19; time++, refused++) await session.show(newFace());
      }
      const told = (await (await begin(host, 'ENROLL', address)).show(shown)).body.outcome;
      seen.push(`${told}, ${(await (await begin(host, 'SIGN-IN', address)).challenge()).body.outcome}`);
    }
    expect(seen).toEqual(['enrolled, ready', 'enrolled, ready']);
  },
);

it('tells a host with a full gallery how to continue, and still verifies existing people', async () => {
  const host = await newVerificationHost(room);
  const faces = [newFace(), newFace(), newFace()];
  for (const face of faces) await enroll(room, host, face);
  const late = [await begin(host, 'ENROLL', newAddress()), await begin(host, 'ENROLL', newAddress())] as const;
  await enroll(room, host, newFace());
  const full = await host.create({
    type: 'ENROLL',
    redirectURL: 'https://shop.example/done',
    callback: { url: 'http://127.0.0.1:1/hook' },
  });
  expect(full).toMatchObject({ status: 507, body: { message: expect.stringContaining('raise MAX_PEOPLE') } });
  const refused = await late[0].show(newFace());
  expect(refused).toMatchObject({ status: 507, body: { message: expect.stringContaining('delete people') } });
  // Whether the face is enrolled stays hidden.
  expect(await late[1].show(sameFace(faces[0]!))).toMatchObject({
    status: 507,
    body: { message: (refused.body as { message?: string }).message },
  });
  const session = await begin(host, 'SIGN-IN', newAddress());
  expect((await session.show(sameFace(faces[0]!))).body.outcome).toBe('matched');
});
