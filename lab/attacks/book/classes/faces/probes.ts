// Encrypted faces that no unmodified device creates, or that were created for another moment.
import { randomBytes } from 'node:crypto';
import { M, Q } from '@limen/token/shared';
import { newFace, type ReadyChallenge } from '../../../../../apps/server/testing/verification-device.ts';
import { encryptInBothHalves, randomPolynomial } from '../../../../../packages/token/testing/forge.ts';
import { addToBody, bodyOfCall, openChallenge, PROBE_AT, scaleBody, withBody, withIds } from '../../../forge-call.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { again, enrollAtOnce, guess, hold } from '../../people.ts';

const common = { promise: 'docs/face-tokens.md', needs: 'many keys', attempts: 60, atOnce: 2 } as const;

export const probesForged: AttackClass = {
  ...common,
  name: 'probes-forged',
  prevents:
    'an encrypted face that was altered, scaled, emptied, pushed out of range or made to grow in a block so that it matches everybody',
  refusals: ['200 not_recognized', '400 malformed_request', '413 payload_too_large', '400 validation_failed'],
  async begin(stage) {
    const host = await stage.newHost();
    const victim = await enrollAtOnce(stage, host);
    expectHonest((await guess(stage, host, { face: again(victim) })) === 'matched', 'the right face is recognized');
    const forgeries: ((call: Buffer, challenge: ReadyChallenge) => Uint8Array | Promise<Uint8Array>)[] = [
      (call) => withBody(call, scaleBody(bodyOfCall(call), 3)),
      (call) => withBody(call, addToBody(bodyOfCall(call), randomPolynomial(M * 50, 'even'))),
      (call) => withBody(call, addToBody(bodyOfCall(call), randomPolynomial(M * 450, 'even'))),
      (call) => withBody(call, addToBody(bodyOfCall(call), randomPolynomial(Math.sqrt(Q), 'even'))),
      (call) => withBody(call, addToBody(bodyOfCall(call), randomPolynomial(M, 'odd'))),
      (call) => changed(call, (body) => body.fill(0)),
      (call) => changed(call, (body) => body.fill(0, 6_656)),
      (call) => changed(call, (body) => body.fill(0, 0, 6_656)),
      (call) => changed(call, (body) => body.fill(0xff, 0, 8)),
      (call) => changed(call, (body) => body.fill(0xff, 13_300)),
      (call) => changed(call, (body) => flip(body, 0)),
      (call) => changed(call, (body) => flip(body, 6_656)),
      (call) => withBody(call, randomBytes(bodyOfCall(call).length)),
      (call) => withIds(call, { keyId: randomBytes(16).toString('base64url') }),
      (call) => withIds(call, { modelId: randomBytes(16).toString('base64url') }),
      (call) => headed(call, 3),
      (call) => headed(call, 4),
      (call) => headed(call, 5),
      (call) => call.subarray(0, -1),
      (call) => Buffer.concat([call, Buffer.of(0)]),
      // Longer than others once folded into a block.
      async (call, { publicKey }) =>
        withBody(call, await encryptInBothHalves(victim.face, Buffer.from(publicKey, 'base64'))),
    ];
    return async (round) => {
      const session = await hold(stage, await host.startVerification('SIGN-IN'));
      await session.reach('token');
      const challenge = await openChallenge(session);
      const call = await session.encrypt(victim.face, challenge);
      const forged = await inTurn(forgeries, round)(call, challenge);
      const { status, error, body } = await session.send(Buffer.from(forged));
      return `${status} ${error ?? body.outcome}`;
    };
  },
};

export const probesReplayed: AttackClass = {
  ...common,
  name: 'probes-replayed',
  prevents: 'a captured encrypted face shown again: in another session, under another challenge, or without one',
  refusals: ['200 not_recognized', '409 challenge_refused'],
  async begin(stage) {
    const host = await stage.newHost();
    const victim = await enrollAtOnce(stage, host);
    const first = await hold(stage, await host.startVerification('SIGN-IN'));
    await first.reach('token');
    const captured = await first.encrypt(victim.face, await openChallenge(first));
    expectHonest((await first.send(captured)).body.outcome === 'matched', 'the probe is good once');
    return async (round) => {
      const session = await hold(stage, await host.startVerification(inTurn(['SIGN-IN', 'ENROLL'], round)));
      await session.reach('token');
      if (round % 3 === 0) {
        const { status, error, body } = await session.send(captured);
        return `${status} ${error ?? body.outcome}`;
      }
      const { challenge } = await openChallenge(session);
      const { status, error, body } = await session.send(
        round % 3 === 1 ? captured : withIds(captured, { keyId: challenge }),
      );
      return `${status} ${error ?? body.outcome}`;
    };
  },
};

export const facesOfNobody: AttackClass = {
  ...common,
  name: 'faces-of-nobody',
  prevents: 'a stranger’s face that is taken for somebody’s',
  refusals: ['not_recognized'],
  async begin(stage) {
    const host = await stage.newHost();
    const { puid } = await enrollAtOnce(stage, host);
    let asked = 0;
    return (round) => {
      // The number of requests by name is limited per person.
      const byName = round % 2 === 0 && asked < 8;
      if (byName) asked += 1;
      return guess(stage, host, { face: newFace(), ...(byName && { type: 'VERIFY', userId: puid }) });
    };
  },
};

function changed(call: Buffer, change: (body: Buffer) => Buffer): Buffer {
  return withBody(call, change(Buffer.from(bodyOfCall(call))));
}

function flip(body: Buffer, at: number): Buffer {
  body[at]! ^= 1;
  return body;
}

function headed(call: Buffer, at: number): Buffer {
  const forged = Buffer.from(call);
  forged[PROBE_AT + at] = 9;
  return forged;
}
