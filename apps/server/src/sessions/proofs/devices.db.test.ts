// Devices of a person: noted, bound, counted, forgotten, and deleted with the person.
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openTestStorage } from '#testing/database/open-test-storage.ts';
import { insertPerson } from '#testing/database/person-rows.ts';
import { liveOwner, testOwner } from '#testing/owners.ts';
import { named, type SessionId } from '../../platform/base/ids.ts';
import type { VouchingLevel } from '../tables.ts';
import { holdsStatement, isDevicePoint, PersonDevices } from './devices.ts';

const OWNER = liveOwner('acme');
const OTHERS = [liveOwner('another'), testOwner('acme')];
const SESSION = named<SessionId>('session-1');

function makeKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')]);
  return {
    point,
    signText: (text: string) => sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  };
}

async function open() {
  const { clock, ids, database, sealer } = await openTestStorage();
  const devices = new PersonDevices({ database, sealer, clock, ids, log: { error() {} } });
  const personId = await insertPerson({ database, sealer, ids }, OWNER);
  const key = makeKey();
  const last = new Map<string, string>();
  const propose = async (session: string = SESSION) => {
    const id = await devices.propose({ owner: OWNER, personId, publicKey: key.point, session: named(session) });
    last.set(session, id);
    return id;
  };
  const confirm = (
    session: string = SESSION,
    person = personId,
    { vouched = 0, deviceId = last.get(session) }: { vouched?: VouchingLevel; deviceId?: string | undefined } = {},
  ) => database.transact((trx) => devices.confirm(trx, named(session), { personId: person, deviceId, vouched }));
  const count = async () => (await database.queries.selectFrom('person_devices').select('id').execute()).length;
  return { database, clock, ids, sealer, devices, personId, key, propose, confirm, count };
}

describe('a known device', () => {
  it('is found after its session succeeded, and only by its customer', async () => {
    const { devices, personId, key, propose, confirm } = await open();
    const id = await propose();
    expect(await devices.find(OWNER, id)).toBeUndefined();
    await confirm();
    expect(await devices.find(OWNER, id)).toMatchObject({ id, personId, localUses: 0 });
    expect(Buffer.from((await devices.find(OWNER, id))!.publicKey)).toEqual(key.point);
    for (const other of OTHERS) expect(await devices.find(other, id)).toBeUndefined();
    expect(await devices.find(OWNER, 'not an id')).toBeUndefined();
  });

  it('is not kept if the session fails or ends for another person', async () => {
    const { database, devices, ids, sealer, propose, confirm, count } = await open();
    await propose();
    await database.transact((trx) => devices.discard(trx, SESSION));
    expect(await count()).toBe(0);
    await propose();
    await confirm(SESSION, await insertPerson({ database, sealer, ids }, OWNER));
    expect(await count()).toBe(0);
  });

  it('is noted once per session despite retries, and other sessions keep theirs', async () => {
    const { devices, propose, confirm, count } = await open();
    const other = await propose('session-2');
    await propose();
    const last = await propose();
    expect(await count()).toBe(2);
    await confirm();
    expect(await devices.find(OWNER, last)).toBeDefined();
    expect(await devices.find(OWNER, other)).toBeUndefined();
    expect(await count()).toBe(2);
  });

  it("belongs to no one before its person's enrollment has ended", async () => {
    const { database, devices, ids, sealer, key, confirm } = await open();
    const personId = await insertPerson({ database, sealer, ids }, OWNER, SESSION);
    const id = await devices.propose({ owner: OWNER, personId, publicKey: key.point, session: SESSION });
    await confirm(SESSION, personId, { deviceId: id });
    expect(await devices.find(OWNER, id)).toBeUndefined();
  });

  it('is bound by its own name only; those of other plans of the session are dropped', async () => {
    const { devices, propose, confirm, count } = await open();
    const id = await propose();
    await confirm(SESSION, undefined, { deviceId: crypto.randomUUID() });
    expect(await devices.find(OWNER, id)).toBeUndefined();
    expect(await count()).toBe(0);
  });

  it('is vouched for when or after it is bound, for this person only', async () => {
    const { database, devices, ids, sealer, personId, propose, confirm } = await open();
    const other = await insertPerson({ database, sealer, ids }, OWNER);
    const [vouched, not, open_] = [await propose('1'), await propose('2'), await propose('3')];
    await confirm('1', personId, { vouched: 1 });
    await confirm('2');
    const judged = await database.transact(async (trx) => {
      const voucherOf = (id: string, person = personId) => devices.voucherOf(trx, person, id);
      const before = [await voucherOf(vouched), await voucherOf(vouched, other), await voucherOf(not)];
      await devices.vouch(trx, other, not, 1);
      await devices.vouch(trx, personId, open_, 1);
      const others = [await voucherOf(not), await voucherOf(open_)];
      await devices.vouch(trx, personId, not, 1);
      return [...before, ...others, await voucherOf(not)];
    });
    expect(judged).toEqual([1, 0, 0, 0, 0, 1]);
  });

  it('replaces unvouched devices once a host vouches for it, and stays when another is trusted', async () => {
    const { database, devices, personId, propose, confirm } = await open();
    const ids: string[] = [];
    for (const [nth, vouched] of ([1, 1, 2, 0] as const).entries()) {
      ids.push(await propose(`${nth}`));
      await confirm(`${nth}`, personId, { vouched });
    }
    const judge = (trusted: string) =>
      database.transact(async (trx) => {
        const isAny = await devices.trustOnly(trx, personId, [trusted]);
        const words = [];
        for (const id of ids) words.push(await devices.voucherOf(trx, personId, id));
        return [isAny, ...words];
      });
    expect(await judge(ids[1]!)).toEqual([true, 0, 2, 2, 0]);
    expect(await judge(ids[3]!)).toEqual([true, 0, 2, 2, 2]);
    expect(await judge('another')).toEqual([false, 0, 2, 2, 2]);
  });

  it('allows a limited number of local sign-ins, even concurrently, and more after a server match', async () => {
    const { database, devices, propose, confirm } = await open();
    const id = await propose();
    await confirm();
    const counted = await Promise.all(Array.from({ length: 5 }, () => devices.countLocalUse(id, 3)));
    expect(counted.filter(Boolean)).toHaveLength(3);
    expect(await devices.countLocalUse(id, 3)).toBe(false);
    await database.transact((trx) => devices.resetUses(trx, id));
    expect(await devices.countLocalUse(id, 3)).toBe(true);
    expect(await devices.countLocalUse(id, 0)).toBe(false);
  });

  it('is forgotten by its customer and deleted with the person', async () => {
    const { database, devices, personId, propose, confirm, count } = await open();
    const id = await propose();
    await confirm();
    for (const other of OTHERS) expect(await devices.forget(other, id)).toBe(false);
    expect(await devices.forget(OWNER, id)).toBe(true);
    expect(await devices.forget(OWNER, id)).toBe(false);
    await propose();
    await confirm();
    await database.queries.deleteFrom('people').where('id', '=', personId).execute();
    expect(await count()).toBe(0);
    expect(await devices.countLocalUse(id, 10)).toBe(false);
  });

  it('is one of the twenty most recently used if vouched for, whatever a photograph has bound since', async () => {
    const { clock, devices, personId, propose, confirm, count } = await open();
    const bind = async (session: SessionId, vouched: VouchingLevel) => {
      clock.advance(1);
      const id = await propose(session);
      await confirm(session, personId, { vouched });
      return id;
    };
    const first = await bind(named('first'), 1);
    const others = [];
    for (let nth = 0; nth < 21; nth++) others.push(await bind(named(`photograph ${nth}`), 0));
    expect(await devices.find(OWNER, first)).toBeDefined();
    const kept = await Promise.all(others.map(async (id) => (await devices.find(OWNER, id)) !== undefined));
    expect(kept).toEqual([...Array(18).fill(false), true, true, true]);
    for (let nth = 0; nth < 20; nth++) await bind(named(`owner ${nth}`), 1);
    expect(await devices.find(OWNER, first)).toBeUndefined();
    expect(await count()).toBe(23);
  });
});

describe('a local sign-in', () => {
  const planText = '{"plan":1}';
  const planHash = createHash('sha256').update(planText).digest('hex');
  const textOf = (deviceId: string) => `limen-device-sign-in-v1\nsession-9\nnonce-9\n${planHash}\n${deviceId}`;

  it("accepts the device's signature over session, nonce, plan and device", async () => {
    const { devices, personId, key, propose, confirm } = await open();
    const deviceId = await propose();
    await confirm();
    const signIn = { word: 'signIn', sessionId: 'session-9', nonce: 'nonce-9', planText, deviceId } as const;
    const signature = key.signText(textOf(deviceId));
    expect(await devices.verify(OWNER, signIn, signature)).toMatchObject({ personId });
    for (const other of OTHERS) expect(await devices.verify(other, signIn, signature)).toBeUndefined();
    for (const wrong of [{ sessionId: 'x' }, { nonce: 'x' }, { planText: '{"plan":2}' }, { deviceId: 'x' }]) {
      expect(await devices.verify(OWNER, { ...signIn, ...wrong }, signature)).toBeUndefined();
    }
    const other = await propose('session-3');
    await confirm('session-3');
    expect(await devices.verify(OWNER, { ...signIn, deviceId: other }, signature)).toBeUndefined();
  });

  it('refuses another key, and a damaged or truncated signature', async () => {
    const [key, other] = [makeKey(), makeKey()];
    const signIn = { word: 'signIn', sessionId: 'session-9', nonce: 'nonce-9', planText, deviceId: 'd' } as const;
    const signature = key.signText(textOf('d'));
    expect(await holdsStatement(key.point, signIn, signature)).toBe(true);
    expect(await holdsStatement(other.point, signIn, signature)).toBe(false);
    expect(await holdsStatement(key.point, { ...signIn, word: 'forget' }, signature)).toBe(false);
    expect(await holdsStatement(key.point, signIn, signature.subarray(1))).toBe(false);
    expect(await holdsStatement(key.point, signIn, Buffer.alloc(64))).toBe(false);
    expect(await holdsStatement(Buffer.alloc(65), signIn, signature)).toBe(false);
  });

  it('accepts only a point on the curve as key', () => {
    const { point } = makeKey();
    const off = Buffer.from(point);
    off[64]! ^= 1;
    expect([point, off, Buffer.alloc(65), point.subarray(1), Buffer.alloc(0)].map(isDevicePoint)).toEqual([
      ...[true, false, false, false, false],
    ]);
  });
});
