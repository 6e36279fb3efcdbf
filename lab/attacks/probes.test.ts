// Attacks with probes over HTTP against the service and its key-holder: none signs anyone in.
//
// packages/token/attacks.test.ts tests the numeric checks of probes, a thousand times each.
import { randomBytes } from 'node:crypto';
import { M, Q } from '@limen/token/shared';
import { beforeAll, describe, expect, it } from 'vitest';
import { createIds } from '../../apps/server/src/platform/base/ids.ts';
import { openStorage } from '../../apps/server/src/platform/storage.ts';
import { openStoredTokens } from '../../apps/server/testing/database/stored-tokens.ts';
import {
  type Capture,
  capture,
  enroll,
  type Face,
  newFace,
  newVerificationHost,
  type ReadyChallenge,
  useVerificationApp,
  type VerificationHost,
} from '../../apps/server/testing/sessions/verification-app.ts';
import { randomPolynomial } from '../../packages/token/testing/forge.ts';
import { addToBody, bodyOfCall, openChallenge, PROBE_AT, scaleBody, withBody, withIds } from './forge-call.ts';

const room = useVerificationApp();
const REFUSED = { outcome: 'not_recognized' };

let host: VerificationHost;
let victim: Face;
let puid: string;

beforeAll(async () => {
  host = await newVerificationHost(room);
  victim = newFace();
  ({ puid } = await enroll(room, host, victim));
});

/** A session at the face comparison, on an unknown device and address. */
async function reachToken(type = 'SIGN-IN', more: object = {}): Promise<Capture> {
  const session = await capture(room, await host.start(type, more));
  await session.reach('token');
  return session;
}

type Forgery = (session: Capture, challenge: ReadyChallenge, round: number) => Promise<Buffer>;

/** Three attempts of a session without a success. */
async function expectRefused(forge: Forgery, type = 'SIGN-IN', more: object = {}): Promise<void> {
  const session = await reachToken(type, more);
  for (let round = 0; round < 3; round += 1) {
    const call = await forge(session, await openChallenge(session), round);
    expect((await session.send(call)).body).toEqual({ ...REFUSED, triesLeft: 2 - round });
  }
  await session.answer();
  const { body } = await host.result(session.id);
  expect(body.status).toBe('FAILED');
  expect(body).not.toHaveProperty('puid');
}

/** Data of a thief of backups, including their key. */
async function stealTokens(): Promise<{ epoch: string; body: Uint8Array }[]> {
  const { storage, clock } = room;
  const thief = await openStorage({ ...storage, masterKey: undefined, clock, ids: createIds(clock) });
  const tokens = await openStoredTokens(thief.database, thief.sealer);
  await thief.database.close();
  return tokens;
}

describe('the legitimate flow of these attacks', () => {
  it('signs in a legitimate person', async () => {
    const session = await reachToken();
    const honest = await session.encrypt(victim, await openChallenge(session));
    // The forgeries' steps without a change.
    const same = withIds(withBody(honest, scaleBody(addToBody(bodyOfCall(honest), []), 1)), {});
    expect((await session.send(same)).body).toMatchObject({ outcome: 'matched' });
    await session.answer();
    expect((await host.result(session.id)).body).toMatchObject({ status: 'SUCCESS', puid });
  });
});

describe('a stolen stored token', () => {
  it.each([
    ['SIGN-IN', false],
    ['VERIFY', true],
    ['ENROLL', false],
  ])('is not accepted as a probe for %s', async (type, isOfOne) => {
    const [stolen] = await stealTokens();
    const forge: Forgery = async (session, challenge, round) => {
      const honest = await session.encrypt(newFace(), challenge);
      const call = withBody(honest, stolen!.body);
      // With the header of the challenge, with its own key, and re-randomized.
      if (round === 0) return call;
      return round === 1
        ? withIds(call, { keyId: stolen!.epoch })
        : withBody(honest, addToBody(stolen!.body, randomPolynomial(M / 100, 'even')));
    };
    await expectRefused(forge, type, isOfOne ? { userId: puid } : {});
  });
});

describe('a token created by the device', () => {
  it('is ignored: the key-holder derives stored tokens only from the probe', async () => {
    const session = await reachToken('ENROLL');
    const call = await session.encrypt(newFace(), await openChallenge(session));
    const [stolen] = await stealTokens();
    const token = withIds(withBody(call, stolen!.body), { keyId: stolen!.epoch }).subarray(PROBE_AT);
    expect((await session.send(Buffer.concat([call, token]))).status).toBe(413);
    expect((await session.send(Buffer.concat([call.subarray(0, PROBE_AT), token]))).body).toMatchObject(REFUSED);
  });
});

describe('a captured probe', () => {
  it('is valid only for its own challenge, not for the next one, another session, or another device', async () => {
    const session = await reachToken();
    const captured = await session.encrypt(victim, await openChallenge(session));
    await expectRefused(async (_session, { challenge }, round) =>
      round === 0 ? captured : withIds(captured, { keyId: challenge }),
    );
    // Nor for the next challenge of the same session.
    const { challenge } = await openChallenge(session);
    expect((await session.send(captured)).body).toMatchObject(REFUSED);
    await openChallenge(session);
    expect((await session.send(withIds(captured, { keyId: challenge }))).body).toMatchObject(REFUSED);
  });

  it('is valid once: resent, it gets the same reply, in its own session only', async () => {
    const session = await reachToken();
    const call = await session.encrypt(victim, await openChallenge(session));
    const first = await session.send(call);
    expect(first.body).toMatchObject({ outcome: 'matched' });
    expect((await session.send(call)).body).toEqual(first.body);
    const other = await reachToken();
    await openChallenge(other);
    expect((await other.send(call)).body).toMatchObject(REFUSED);
  });
});

describe('a probe of another length', () => {
  it('is refused if large, in random directions and in the right one', async () => {
    await expectRefused(async (session, challenge, round) => {
      const honest = await session.encrypt(round === 2 ? victim : newFace(), challenge);
      const body = bodyOfCall(honest);
      if (round === 2) return withBody(honest, scaleBody(body, 3));
      return withBody(honest, addToBody(body, randomPolynomial(M * (50 + 400 * round), 'even')));
    });
  });

  it('is refused if its square wraps around to that of a legitimate one', async () => {
    await expectRefused(async (session, challenge, round) => {
      const honest = await session.encrypt(newFace(), challenge);
      const length = Math.sqrt((round + 1) * Q);
      return withBody(honest, addToBody(bodyOfCall(honest), randomPolynomial(length, 'even')));
    });
  });
});

describe('changed bytes', () => {
  it('are refused in any single coefficient', async () => {
    await expectRefused(async (session, challenge, round) => {
      const honest = await session.encrypt(victim, challenge);
      const body = Buffer.from(bodyOfCall(honest));
      body[[0, 6_656, 13_311][round]!]! ^= 1; // the lowest bit at the start and in the middle, some bit at the end
      return withBody(honest, body);
    });
  });

  it('are refused if coefficients are out of range', async () => {
    await expectRefused(async (session, challenge, round) => {
      const honest = await session.encrypt(victim, challenge);
      const body = Buffer.from(bodyOfCall(honest));
      body.fill(0xff, [0, 6_656, 13_300][round], [8, 6_670, 13_312][round]);
      return withBody(honest, body);
    });
  });

  it('are refused if nothing remains encrypted', async () => {
    await expectRefused(async (session, challenge, round) => {
      const honest = await session.encrypt(victim, challenge);
      const body = Buffer.from(bodyOfCall(honest));
      return withBody(honest, [body.fill(0), body.fill(0, 6_656), body.fill(0, 0, 6_656)][round]!);
    });
  });
});

describe('another header', () => {
  it('with the customer’s epoch, an unknown one, or none is refused', async () => {
    const [stolen] = await stealTokens();
    const ids = [stolen!.epoch, randomBytes(16).toString('base64url'), Buffer.alloc(16).toString('base64url')];
    await expectRefused(async (session, challenge, round) =>
      withIds(await session.encrypt(victim, challenge), { keyId: ids[round]! }),
    );
  });

  it('with another model is refused', async () => {
    await expectRefused(async (session, challenge) =>
      withIds(await session.encrypt(victim, challenge), { modelId: randomBytes(16).toString('base64url') }),
    );
  });

  it('of another kind, version or parameter set is refused', async () => {
    await expectRefused(async (session, challenge, round) => {
      const call = Buffer.from(await session.encrypt(victim, challenge));
      call[PROBE_AT + [3, 4, 5][round]!] = 9;
      return call;
    });
  });
});

describe('a probe against a token that was revoked', () => {
  it('matches no one, although it was created while the token existed', async () => {
    const own = await newVerificationHost(room);
    const face = newFace();
    const person = await enroll(room, own, face);
    const signIn = await capture(room, await own.start('SIGN-IN'));
    const verify = await capture(room, await own.start('VERIFY', { userId: person.puid }));
    const calls: [Capture, Buffer][] = [];
    for (const session of [signIn, verify]) {
      await session.reach('token');
      calls.push([session, await session.encrypt(face, await openChallenge(session))]);
    }
    expect(await own.deletePerson(person.puid)).toBe(200);
    for (const [session, call] of calls) {
      expect((await session.send(call)).body).toMatchObject(REFUSED);
      await session.answer();
      expect((await own.result(session.id)).body).toMatchObject({ status: 'FAILED', errorCodes: [153] });
    }
  });

  it('no longer signs anyone in if the token is revoked after the match', async () => {
    const own = await newVerificationHost(room);
    const face = newFace();
    const person = await enroll(room, own, face);
    const session = await capture(room, await own.start('SIGN-IN'));
    await session.reach('token');
    expect((await session.show(face)).body).toMatchObject({ outcome: 'matched' });
    await own.deletePerson(person.puid);
    await session.answer();
    const { status, body } = await own.result(session.id);
    // Deleted with the person, or ended without them.
    expect(status === 404 || body.status === 'FAILED').toBe(true);
  });
});
