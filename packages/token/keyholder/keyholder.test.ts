import { beforeAll, expect, test } from 'vitest';
import { verifyChallenge } from '../device/index.ts';
import {
  type BlindedRows,
  BODY_BYTES,
  MASKED_BYTES,
  Q,
  RING_DEGREE,
  ROW_BYTES,
  reduce,
  transformInverse,
} from '../shared/index.ts';
import { PUBLIC_KEY_BYTES } from '../shared/public-key.ts';
import { encryptBody, openParties, type Parties } from '../testing/parties.ts';
import { blindComparison } from '../testing/plain-evaluator.ts';
import { scorePlainly } from '../testing/plain-scorer.ts';
import { randomVector, vectorNear } from '../testing/vectors.ts';
import { makeIdentity, makeKeyPair, openKey, reencrypt, scoreRows, signChallenge, wipeKey } from './index.ts';
import { useScoreMemory } from './score-memory.ts';
import { SECRET_BYTES } from './secret-key.ts';

let parties: Parties;

beforeAll(async () => {
  parties = await openParties();
});

function makeRows(count: number): BlindedRows {
  const { device, enrol: enroll, challenge } = parties;
  const vector = randomVector();
  const probe = encryptBody(device, vector, challenge);
  const bytes = new Uint8Array(count * ROW_BYTES);
  for (let row = 0; row < count; row++) {
    const token = encryptBody(device, vectorNear(vector, row % 2 === 0 ? 0 : 0.7), enroll);
    bytes.set(blindComparison(token, probe).bytes, row * ROW_BYTES);
  }
  return { count, bytes };
}

test('creates small ternary keys that are never equal', async () => {
  const first = await makeKeyPair();
  const second = await makeKeyPair();
  expect(first.publicKey.length).toBe(PUBLIC_KEY_BYTES);
  expect(first.secret.length).toBe(SECRET_BYTES);
  expect(first.secret).not.toEqual(second.secret);
  expect(first.publicKey).not.toEqual(second.publicKey);
  const coefficients = (await openKey(first.secret)).values.map((value) => reduce(value));
  transformInverse(coefficients);
  for (const wanted of [0, 1, Q - 1]) {
    expect(Math.abs(coefficients.filter((value) => value === wanted).length - RING_DEGREE / 3)).toBeLessThan(130);
  }
});

test('refuses bytes that are not a secret key', async () => {
  for (const bytes of [new Uint8Array(0), new Uint8Array(SECRET_BYTES + 1), new Uint8Array(SECRET_BYTES).fill(3)]) {
    await expect(openKey(bytes)).rejects.toThrow(expect.objectContaining({ code: 'key' }));
  }
});

test('wipes a key to zeros', async () => {
  const key = await openKey((await makeKeyPair()).secret);
  expect(key.values.some((value) => value !== 0)).toBe(true);
  wipeKey(key);
  expect(key.values.every((value) => value === 0) && key.reversed.every((value) => value === 0)).toBe(true);
});

test('scores as plain arithmetic does, including unaligned bytes', () => {
  const { enrol: enroll, challenge } = parties;
  const rows = makeRows(5);
  const shifted = new Uint8Array(rows.bytes.length + 3);
  shifted.set(rows.bytes, 3);
  const plain = scorePlainly(rows, enroll.key, challenge.key);
  for (const bytes of [rows.bytes, shifted.subarray(3)]) {
    const out = new Float64Array(rows.count);
    scoreRows({ count: rows.count, bytes }, enroll.key, challenge.key, out);
    for (const [index, score] of plain.entries()) expect(out[index]).toBeCloseTo(score, 6);
  }
});

test('scores more rows than the kernel takes at once in order', () => {
  const { enrol: enroll, challenge } = parties;
  const few = makeRows(3);
  const count = 200;
  const bytes = new Uint8Array(count * ROW_BYTES);
  for (let row = 0; row < count; row++) {
    bytes.set(few.bytes.subarray((row % 3) * ROW_BYTES, ((row % 3) + 1) * ROW_BYTES), row * ROW_BYTES);
  }
  const out = new Float64Array(count);
  scoreRows({ count, bytes }, enroll.key, challenge.key, out);
  const plain = scorePlainly(few, enroll.key, challenge.key);
  for (let row = 0; row < count; row++) expect(out[row]).toBeCloseTo(plain[row % 3]!, 6);
});

test('leaves neither keys nor scores in the kernel’s memory', () => {
  const { enrol: enroll, challenge } = parties;
  scoreRows(makeRows(1), enroll.key, challenge.key, new Float64Array(1));
  const { rows, scores } = useScoreMemory();
  expect(scores.every((score) => score === 0)).toBe(true);
  const before = new Uint8Array(rows.buffer, 0, rows.byteOffset);
  expect(before.every((byte) => byte === 0)).toBe(true);
});

test('refuses rows of another length and scores arbitrary bytes of the right length safely', () => {
  const { enrol: enroll, challenge } = parties;
  const out = new Float64Array(2);
  for (const rows of [
    { count: 1, bytes: new Uint8Array(ROW_BYTES - 1) },
    { count: 3, bytes: new Uint8Array(3 * ROW_BYTES) },
    { count: -1, bytes: new Uint8Array(0) },
    { count: 0.5, bytes: new Uint8Array(ROW_BYTES / 2) },
  ]) {
    expect(() => scoreRows(rows, enroll.key, challenge.key, out)).toThrow(expect.objectContaining({ code: 'length' }));
  }
  for (const fill of [0, 0x7f, 0x80, 0xff]) {
    scoreRows({ count: 2, bytes: new Uint8Array(2 * ROW_BYTES).fill(fill) }, enroll.key, challenge.key, out);
    expect(out.every((score) => Math.abs(score) <= 1.1001)).toBe(true);
  }
});

test('refuses an invalid masked body', async () => {
  const { enrol: enroll, challenge } = parties;
  for (const length of [0, BODY_BYTES, MASKED_BYTES - 1, MASKED_BYTES + 1]) {
    await expect(reencrypt(new Uint8Array(length), enroll.key, challenge.key)).rejects.toThrow(
      expect.objectContaining({ code: 'length' }),
    );
  }
  await expect(reencrypt(new Uint8Array(MASKED_BYTES).fill(255), enroll.key, challenge.key)).rejects.toThrow(
    expect.objectContaining({ code: 'range' }),
  );
});

test('lets a device distinguish the key-holder’s challenge from any other', async () => {
  const identity = await makeIdentity();
  const terms = {
    challenge: 'AAAAAAAAAAAAAAAAAAAAAA',
    purpose: 'identify',
    session: 'session',
    expiresAt: 1_700_000_000_000,
    publicKey: parties.challenge.deviceKey.publicKey,
  } as const;
  const signature = await signChallenge(identity.privateKey, terms);
  expect(await verifyChallenge(identity.publicKey, terms, signature)).toBe(true);
  const others = [
    { ...terms, challenge: 'AAAAAAAAAAAAAAAAAAAAAQ' },
    { ...terms, purpose: 'enrol' as const },
    { ...terms, session: 'other' },
    { ...terms, expiresAt: terms.expiresAt + 1 },
    { ...terms, publicKey: parties.enrol.deviceKey.publicKey },
  ];
  for (const other of others) expect(await verifyChallenge(identity.publicKey, other, signature)).toBe(false);
  expect(await verifyChallenge((await makeIdentity()).publicKey, terms, signature)).toBe(false);
  expect(await verifyChallenge(new Uint8Array(65), terms, signature)).toBe(false);
});
