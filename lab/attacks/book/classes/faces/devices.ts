// Sign-ins with another person's device, or with its signatures.
import { randomUUID } from 'node:crypto';
import { newPersonKey } from '../../../../../apps/server/testing/verification-device.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { enrollAtOnce, hold } from '../../people.ts';

export const devicesOfOthers: AttackClass = {
  name: 'devices-of-others',
  prevents: 'signing in as the owner of another device: with its id, with another key, or with what it signed earlier',
  promise: 'docs/device-protocol.md#verification-sessions',
  needs: 'many keys',
  refusals: ['200 refused', '400 validation_failed'],
  attempts: 100,
  async begin(stage) {
    const host = await stage.newHost();
    const [annKey, eveKey] = [await newPersonKey(), await newPersonKey()];
    const [ann, eve] = [
      await enrollAtOnce(stage, host, { key: annKey }),
      await enrollAtOnce(stage, host, { key: eveKey }),
    ];
    const start = async (type = 'SIGN-IN', more: object = {}) => {
      const session = await hold(stage, await host.startVerification(type, more));
      await session.reach('token');
      return session;
    };
    const own = await start();
    expectHonest(
      (await own.local(ann.deviceId!, annKey)).body.outcome === 'matched',
      'the person’s own device signs in',
    );
    // A device's signature from one session, sent in another.
    const recorded: string[] = [];
    const listening = { ...annKey, sign: async (text: string) => keep(await annKey.sign(text)) };
    const keep = (signature: string) => {
      recorded.push(signature);
      return signature;
    };
    await (await start()).local(ann.deviceId!, listening);
    const tries: (() => Promise<{ status: number; error: string | undefined; body: { outcome?: string } }>)[] = [
      async () => (await start()).local(ann.deviceId!, eveKey),
      async () => (await start()).local(eve.deviceId!, annKey),
      async () => (await start()).local(randomUUID(), annKey),
      async () => (await start()).local(ann.deviceId!, annKey, { signature: recorded[0] }),
      async () => (await start()).local(ann.deviceId!, annKey, { signature: 'A'.repeat(86) }),
      async () => (await start('VERIFY', { userId: ann.puid })).local(eve.deviceId!, eveKey),
      async () => (await start()).local(`${ann.deviceId}'`, annKey),
      async () => (await start()).local(ann.deviceId!, annKey, { signature: '' }),
    ];
    return async (round) => {
      const { status, error, body } = await inTurn(tries, round)();
      return `${status} ${error ?? body.outcome}`;
    };
  },
};
