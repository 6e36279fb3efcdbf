// Edited rows of devices allow no sign-in as another person, customer or world.
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { pickByPerson, tryEveryEdit } from '#testing/edited-rows/edit-rows.ts';
import { NO_LOG, OWNER, OWNERS, openWithPeople } from '#testing/edited-rows/places.ts';
import { named, type PersonId, type SessionId } from '../../src/platform/base/ids.ts';
import { PersonDevices } from '../../src/sessions/proofs/devices.ts';

function makeKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')]);
  return {
    point,
    sign: (text: string) => sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  };
}

describe('an edited row', () => {
  it('of devices lets no key speak for another person, and vouches for no device or extra sign-in', async () => {
    const { database, sealer, clock, ids, victim, thief } = await openWithPeople();
    const devices = new PersonDevices({ database, sealer, clock, ids, log: NO_LOG });
    const keys = [makeKey(), makeKey()] as const;
    const bind = async (personId: PersonId, key: { point: Buffer }, vouched: 0 | 1) => {
      clock.advance(1);
      const session = ids.random<SessionId>();
      const deviceId = await devices.propose({ owner: OWNER, personId, publicKey: key.point, session });
      await database.transact((trx) => devices.confirm(trx, session, { personId, deviceId, vouched }));
      return deviceId;
    };
    const deviceIds = [await bind(victim, keys[0], 1), await bind(thief, keys[1], 0)];
    expect(await devices.countLocalUse(deviceIds[0]!, 1)).toBe(true);
    const statement = { word: 'signIn', sessionId: 's', nonce: 'n', planText: 'plan' } as const;
    const planHash = createHash('sha256').update(statement.planText).digest('hex');
    const textFor = (deviceId: string) => ['limen-device-sign-in-v1', 's', 'n', planHash, deviceId].join('\n');
    const signedBy = (key: (typeof keys)[number], deviceId: string) => key.sign(textFor(deviceId));
    const pick = pickByPerson(victim, thief);
    const own = { ...statement, deviceId: deviceIds[1]! };
    expect(await devices.verify(OWNER, own, signedBy(keys[1], own.deviceId))).toMatchObject({ personId: thief });
    await tryEveryEdit(database, 'person_devices', pick, async (edit, edited) => {
      const id = edited['id'] as string;
      for (const owner of OWNERS) expect(await devices.find(owner, id), edit).toBeUndefined();
      for (const deviceId of deviceIds) {
        const asked = { ...statement, deviceId };
        for (const owner of OWNERS) {
          const found = await devices.verify(owner, asked, signedBy(keys[1], deviceId));
          expect(found?.personId, edit).not.toBe(victim);
        }
      }
      expect(await devices.countLocalUse(id, 10), edit).toBe(false);
      await database.transact(async (trx) => {
        for (const person of [victim, thief]) {
          await devices.vouch(trx, person, id, 2);
          expect(await devices.voucherOf(trx, person, id), edit).toBe(0);
        }
      });
    });

    // Recorded for the victim by an unsuccessful session, and bound by hand.
    const noted = await devices.propose({
      owner: OWNER,
      personId: victim,
      publicKey: keys[1].point,
      session: named('open'),
    });
    await database.queries
      .updateTable('person_devices')
      .set({ provisional_session: null })
      .where('id', '=', noted)
      .execute();
    expect(await devices.find(OWNER, noted)).toBeUndefined();
  });
});
