// Calls without the session's device key: forged, captured and modified signatures.
import { randomBytes } from 'node:crypto';
import { newDevice } from '../../../../../apps/server/testing/device.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { claimAgeSession, labelOf } from '../../course.ts';

const common = { promise: 'docs/device-protocol.md#signed-calls', needs: 'a test key' } as const;

export const signaturesForged: AttackClass = {
  ...common,
  name: 'signatures-forged',
  prevents: 'calls in the name of the device that holds a session, without its key',
  refusals: ['401 invalid_signature'],
  attempts: 200,
  async begin(stage) {
    const session = await claimAgeSession(stage, stage.host);
    const stranger = await newDevice(stage.speaker.door, stage.newAddress());
    expectHonest(
      (await session.device.report(session.id, 0, session.log.slice(0, 1))).status === 200,
      'its own report',
    );
    const body = { from: 0, entries: session.log.slice(0, 2) };
    const forgeries: ((headers: Record<string, string>) => Record<string, string>)[] = [
      (headers) => ({ ...headers, 'limen-device-signature': randomBytes(64).toString('base64url') }),
      (headers) => ({ ...headers, 'limen-device-signature': Buffer.alloc(64).toString('base64url') }),
      (headers) => ({ ...headers, 'limen-device-signature': Buffer.alloc(64, 0xff).toString('base64url') }),
      (headers) => ({ ...headers, 'limen-device-signature': flipped(headers['limen-device-signature'] ?? '') }),
      (headers) => ({ ...headers, 'limen-device-signature': `${headers['limen-device-signature']}=` }),
      (headers) => ({ ...headers, 'limen-device-signature': '' }),
      (headers) => ({ ...headers, 'limen-device-counter': String(Number(headers['limen-device-counter']) + 1) }),
      (headers) => ({ ...headers, 'limen-device-counter': `0${headers['limen-device-counter']}` }),
      (headers) => ({ ...headers, 'limen-device-counter': '-1' }),
      (headers) => ({ ...headers, 'limen-device-counter': '1e9' }),
      (headers) => ({ ...headers, 'limen-device-key': stranger.key }),
      (headers) => ({ ...headers, 'limen-device-key': Buffer.alloc(65, 4).toString('base64url') }),
      ({ 'limen-device-signature': _, ...rest }) => rest,
      ({ 'limen-device-key': _, ...rest }) => rest,
      () => ({}),
    ];
    return async (round) => {
      const alter = inTurn(forgeries, round);
      if (round % 2 === 0) return labelOf(await session.device.call('POST', session.id, 'log', { body, alter }));
      // Signed by another key, with the device's own key in the header.
      const posing = (headers: Record<string, string>) => ({ ...headers, 'limen-device-key': session.device.key });
      return labelOf(await stranger.call('POST', session.id, 'log', { body, alter: posing }));
    };
  },
};

export const signaturesReplayed: AttackClass = {
  ...common,
  name: 'signatures-replayed',
  prevents: 'a captured call sent again, for another session, path or body, or with a used counter',
  refusals: ['409 stale_counter', '401 invalid_signature'],
  attempts: 200,
  async begin(stage) {
    const session = await claimAgeSession(stage, stage.host);
    const other = await claimAgeSession(stage, stage.host);
    const content = { from: 0, entries: session.log.slice(0, 1) };
    const body = JSON.stringify(content);
    const captured = await session.device.headersFor('POST', session.id, 'log', Buffer.from(body));
    const post = async (id: string, operation: string, sent: string) =>
      (
        await stage.speaker.send({
          method: 'POST',
          path: `/device/sessions/${id}/${operation}`,
          body: sent,
          headers: { ...captured, 'content-type': 'application/json' },
        })
      ).label;
    expectHonest((await post(session.id, 'log', body)) === '200', 'the call itself, the first time');
    return async (round) =>
      inTurn<() => Promise<string>>(
        [
          () => post(session.id, 'log', body),
          () => post(other.id, 'log', body),
          () => post(session.id, 'cancel', '{}'),
          () => post(session.id, 'log', JSON.stringify({ ...content, entries: session.log.slice(0, 2) })),
          () => post(session.id, 'log', `${body} `),
          // Signed again by the device itself, with used counters.
          async () => labelOf(await session.device.call('POST', session.id, 'log', { body: content, counter: 1 })),
          async () => labelOf(await session.device.call('POST', session.id, 'cancel', { body: {}, counter: 2 })),
        ],
        round,
      )();
  },
};

export const foreignDevice: AttackClass = {
  ...common,
  name: 'foreign-device',
  prevents: 'a device with a key of its own that reports, answers, cancels or hands over a session it does not hold',
  promise: 'docs/security.md#the-device-channel',
  refusals: ['403 device_mismatch'],
  attempts: 100,
  async begin(stage) {
    const session = await claimAgeSession(stage, stage.host);
    expectHonest((await session.device.view(session.id)).body.role === 'active', 'the holder holds it');
    return async (round) => {
      const stranger = await newDevice(stage.speaker.door, stage.newAddress());
      return inTurn<() => Promise<string>>(
        [
          async () => labelOf(await stranger.claim(session.id)),
          async () => labelOf(await stranger.report(session.id, 0, session.log.slice(0, 1))),
          async () => labelOf(await stranger.cancel(session.id)),
          async () => labelOf(await stranger.answer(session.id, randomBytes(2_048))),
          async () => labelOf(await stranger.call('GET', session.id, 'updates')),
        ],
        round,
      )();
    };
  },
};

function flipped(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url');
  bytes[bytes.length >> 1]! ^= 1;
  return bytes.toString('base64url');
}
