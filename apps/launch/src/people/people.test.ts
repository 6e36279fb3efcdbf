import { describe, expect, test } from 'vitest';
import { makePerson } from '../../testing/fakes/fake-people.ts';
import { findPerson } from './find-person.ts';
import { openPerson } from './person-record.ts';

const face = (degrees: number) => {
  const angle = (degrees * Math.PI) / 180;
  return [Math.cos(angle), Math.sin(angle), 0];
};
const seen = (degrees: number) => Float32Array.from(face(degrees));

describe('a person record', () => {
  test('opens with its own key, which cannot be exported', async () => {
    const record = await makePerson([0.5, 0.25, -1]);
    expect([...(await openPerson(record))!]).toEqual([0.5, 0.25, -1]);
    expect([record.key.extractable, (record.pair.privateKey as CryptoKey).extractable]).toEqual([false, false]);
  });

  test('does not open with another key', async () => {
    const record = await makePerson([0.5, 0.25, -1]);
    const other = await makePerson([1, 0, 0]);
    expect(await openPerson({ ...record, key: other.key })).toBeNull();
    const plain = new Uint8Array(Float32Array.of(0.5, 0.25, -1).buffer);
    expect(Buffer.from(record.sealed).includes(Buffer.from(plain))).toBe(false);
  });

  test.each(['deviceId', 'gallery', 'modelId'] as const)('is bound to its %s', async (name) => {
    const record = await makePerson([0.5, 0.25, -1]);
    expect(await openPerson({ ...record, [name]: 'another' })).toBeNull();
  });
});

describe('findPerson', () => {
  test('returns the person if one is similar enough', async () => {
    const records = [await makePerson(face(0), { deviceId: 'a' }), await makePerson(face(90), { deviceId: 'b' })];
    const { person, similarIds } = await findPerson(seen(80), records, 0.48);
    expect([person?.deviceId, similarIds]).toEqual(['b', ['b']]);
  });

  test('returns no person if no one is similar enough', async () => {
    const records = [await makePerson(face(0))];
    expect(await findPerson(seen(70), records, 0.48)).toEqual({ person: null, similarIds: [] });
    expect(await findPerson(seen(70), [], 0.48)).toEqual({ person: null, similarIds: [] });
  });

  test('returns no person if two are almost equally similar', async () => {
    const records = [await makePerson(face(-20), { deviceId: 'a' }), await makePerson(face(22), { deviceId: 'b' })];
    expect(await findPerson(seen(0), records, 0.48)).toEqual({ person: null, similarIds: ['a', 'b'] });
  });

  test('skips records that cannot be opened or compared', async () => {
    const broken = { ...(await makePerson(face(0))), deviceId: 'renamed' };
    const longer = await makePerson([1, 0, 0, 0], { deviceId: 'longer' });
    const good = await makePerson(face(0), { deviceId: 'good' });
    expect((await findPerson(seen(0), [broken, longer, good], 0.48)).person?.deviceId).toBe('good');
  });
});
