// The biometric node's client against the real service, on each database.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLossyFetch, type LiveService, startLiveService } from '../../testing/live-service.ts';
import { rejectionOf } from '../../testing/scripted-client.ts';
import type { LimenClientOptions } from '../index.ts';

const UNKNOWN_PUID = '00000000-0000-7000-8000-000000000000';

/** Vectors of different people: uncorrelated for different seeds. */
const faceOf = (seed: number, length = 128) =>
  Array.from({ length }, (_, index) => Math.sin((index + 1) * (index + 1) * (seed + 0.37)));
const noisy = (face: number[]) => face.map((value, index) => value + 0.02 * Math.cos(index * 3));

let service: LiveService;
let dispose: () => Promise<void>;
beforeAll(async () => {
  service = await startLiveService({}, (close) => {
    dispose = close;
  });
});
afterAll(() => dispose());

/** Each test is a separate customer of the one service. */
async function start() {
  const { app, connect } = service;
  const createKey = async () => (await app.apiKeys.create({ kind: 'live', clientCredentials: false })).apiKey;
  const apiKey = await createKey();
  return { createKey, connect: (options: Partial<LimenClientOptions> = {}) => connect({ apiKey, ...options }) };
}

it('checks the key', async () => {
  const { connect } = await start();
  expect(await connect().node.checkApiKey()).toBe(true);
  expect(await connect({ apiKey: 'not-a-key' }).node.checkApiKey()).toBe(false);
  expect(await rejectionOf(connect({ apiKey: 'not-a-key' }).node.enroll(faceOf(1)))).toMatchObject({
    status: 403,
    nodeStatus: -1,
    message: 'Failed to check api key',
  });
});

it('enrolls, recognizes, lists and deletes with encryption', async () => {
  const { connect } = await start();
  const { node } = connect();
  const first = await node.enroll([faceOf(1), noisy(faceOf(1))], { userIdentifier: 'one', correlationId: 'c-1' });
  expect(first).toMatchObject({ outcome: 'enrolled', puid: expect.any(String), enrollLevel: 2, score: 1 });
  const second = await node.enroll(faceOf(2));
  if (first.outcome === 'unusable' || second.outcome === 'unusable') throw new Error('the faces are usable');
  expect(second.guid).toBe(first.guid);

  const { puid, guid, enrollLevel } = first;
  expect(await node.enroll(noisy(faceOf(1)))).toMatchObject({ outcome: 'already_enrolled', puid, guid, enrollLevel });
  expect(await node.predict(noisy(faceOf(1)))).toMatchObject({ recognized: true, puid, guid, enrollLevel });
  expect(await node.predict(faceOf(3))).toEqual({ recognized: false, reason: 'not_enrolled' });
  expect(await node.predict(faceOf(2), { userIdentifier: 'one' })).toMatchObject({ recognized: false });
  expect(await node.predict(faceOf(1), { userIdentifier: 'one' })).toMatchObject({ recognized: true, puid });
  for (const k of [1, 5]) {
    expect(await node.predictMany(faceOf(2), k)).toEqual([{ puid: second.puid, guid, score: expect.closeTo(1, 5) }]);
  }
  expect(await node.predictMany(faceOf(3), 5)).toEqual([]);

  expect(await node.deleteUser(puid)).toBe(true);
  expect(await node.deleteUser(puid)).toBe(false);
  expect(await node.deleteUser(UNKNOWN_PUID)).toBe(false);
  expect(await node.predict(faceOf(1))).toEqual({ recognized: false, reason: 'not_enrolled' });
});

it('reports an unusable face', async () => {
  const { node } = (await start()).connect();
  const zero = Array(128).fill(0);
  expect(await node.enroll(zero)).toEqual({ outcome: 'unusable' });
  expect(await node.plain.enroll(zero)).toEqual({ outcome: 'unusable' });
  expect(await node.predict(zero)).toEqual({ recognized: false, reason: 'unusable' });
  expect(await node.plain.predictMany(zero, 3)).toEqual([]);
});

it('finds the same people with the plain calls, with and without ROT13', async () => {
  const { node } = (await start()).connect();
  const version = 'FACE3_3';
  const enrolled = await node.plain.enroll(faceOf(1), { rot13: true });
  if (enrolled.outcome !== 'enrolled') throw new Error('the face is new');
  const { outcome: _outcome, ...person } = enrolled;
  expect(await node.plain.enroll(faceOf(1))).toEqual({ outcome: 'already_enrolled', ...person });
  expect(await node.plain.predict(faceOf(1))).toMatchObject({ recognized: true, ...person });
  expect(await node.predict(faceOf(1), { version })).toMatchObject({ recognized: true, ...person });
  // Another version is another gallery.
  expect(await node.predict(faceOf(1))).toMatchObject({ recognized: false });
  expect(await node.deleteUser(person.puid, { version })).toBe(true);
  expect(await node.plain.predict(faceOf(1))).toEqual({ recognized: false, reason: 'not_enrolled' });
});

it('accepts 64 vectors of 512 numbers in one call', async () => {
  const { node } = (await start()).connect();
  const face = Float32Array.from(faceOf(1, 512));
  expect(await node.enroll(Array(64).fill(face))).toMatchObject({ outcome: 'enrolled' });
  expect(await node.predict(Array(64).fill(face))).toMatchObject({ recognized: true });
});

it('isolates customers from each other', async () => {
  const { connect, createKey } = await start();
  const enrolled = await connect().node.enroll(faceOf(1));
  if (enrolled.outcome === 'unusable') throw new Error('the face is usable');
  const other = connect({ apiKey: await createKey() });
  expect(await other.node.predict(faceOf(1))).toEqual({ recognized: false, reason: 'not_enrolled' });
  expect(await other.node.deleteUser(enrolled.puid)).toBe(false);
  expect(await connect().node.predict(faceOf(1))).toMatchObject({ recognized: true });
});

it('repeats the first outcome for the same idempotency key and face, although each call seals the face again', async () => {
  const { node } = (await start()).connect();
  const first = await node.enroll(faceOf(1), { idempotencyKey: 'face-7' });
  expect(first.outcome).toBe('enrolled');
  expect(await node.enroll(faceOf(1), { idempotencyKey: 'face-7' })).toEqual(first);
  expect(await rejectionOf(node.enroll(faceOf(2), { idempotencyKey: 'face-7' }))).toMatchObject({
    status: 422,
    code: 'idempotency_key_reused',
    nodeStatus: 422,
  });
});

it('survives lost replies', async () => {
  const { connect } = await start();
  const enrolled = await connect({ fetch: createLossyFetch() }).node.enroll(faceOf(1));
  if (enrolled.outcome === 'unusable') throw new Error('the face is usable');
  expect(enrolled.outcome).toBe('enrolled'); // each call has its own idempotency key
  expect(await connect({ fetch: createLossyFetch() }).node.deleteUser(enrolled.puid)).toBe(true);
  expect(await connect().node.predict(faceOf(1))).toMatchObject({ recognized: false });
});
