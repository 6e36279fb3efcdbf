// Encrypts a face in a real Chromium under the page's policy, and stores people in its database.
import { rm } from 'node:fs/promises';
import { loadManifest } from '@limen/face-models';
import { makeIdentity, makeKeyPair, signChallenge } from '@limen/token/keyholder';
import { readToken } from '@limen/token/shared';
import { encode } from 'jpeg-js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { chromiumPath, launchBrowser } from '../../../server/testing/browser.ts';
import { buildEnginePage, serveEnginePage } from '../../testing/engine-page.ts';
import { openModels } from '../../testing/models.ts';
import { cutPortrait, decodePicture, readSample } from '../../testing/pictures.ts';
import { detectFaces } from '../face/read/detect.ts';
import { nameModel } from '../models/worker/face-encryption.ts';

const OTHER_MODEL = 'AAAAAAAAAAAAAAAAAAAAAA';
const CHALLENGE = 'BBBBBBBBBBBBBBBBBBBBBA';
const EXPIRES_AT = 1_800_000_000_000;

interface ChallengeKeyText {
  publicKey: string;
  identity: string;
  signature: string;
}

interface EncryptionReport {
  refused: boolean;
  selfie: string;
  probes: string[];
  other: string;
  bytesBefore: number;
}

/** Runs on the page as text, so it must not be compiled here. */
const programFor = (manifestHash: string, modelId: string, key: ChallengeKeyText) => `(async () => {
  const toText = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  const isSeal = ({ name }) => name.includes('seal');
  const engine = createFaceEngine();
  const roles = ['detect', 'landmarks', 'eye', 'liveness', 'embedding'];
  await engine.load({ roles, manifestHash: '${manifestHash}' });
  await engine.watch(await createImageBitmap(await (await fetch('/picture.jpg')).blob()));
  await engine.tie({ isAhead: true });
  const { embedding, selfie } = await engine.examine({ age: false, embedding: true, selfie: true });
  const publicKey = Uint8Array.from(atob('${key.publicKey}'), (letter) => letter.charCodeAt(0));
  const other = await engine.openEncryptor('${OTHER_MODEL}').catch((error) => error.code);
  const bytesBefore = performance.getEntriesByType('resource').filter(isSeal).length;
  await engine.openEncryptor('${modelId}');
  const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const key = {
    publicKey, keyId: '${CHALLENGE}', purpose: 'identify', session: 'session', expiresAt: ${EXPIRES_AT},
    identity: bytesOf('${key.identity}'), signature: bytesOf('${key.signature}'),
  };
  const wish = { key, modelId: '${modelId}' };
  const stranger = { ...wish, key: { ...key, session: 'another' } };
  const refused = await engine.encrypt({ face: Float32Array.from(embedding), ...stranger }).then(() => false, () => true);
  const probes = [];
  for (const nth of [1, 2]) probes.push(await engine.encrypt({ face: Float32Array.from(embedding), ...wish }));
  engine.close();
  return { refused, selfie: toText(selfie), probes: probes.map(toText), other, bytesBefore };
})()`;

const PEOPLE = `(async () => {
  const people = createPeopleStore('people-test');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const make = async (deviceId, savedAt, gallery = 'gallery') =>
    sealPerson(Float32Array.of(savedAt, 1), {
      deviceId, gallery, modelId: 'model', savedAt,
      pair: await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']),
    });
  const names = (records) => records.map(({ deviceId }) => deviceId).sort();
  await people.save(await make('a', 1), []);
  await people.save(await make('b', 2, 'other'), []);
  await people.save(await make('c', 3), ['a']);
  const kept = names(await people.all());
  const [c] = await people.listComparable('gallery', 'model');
  const face = Array.from(await openPerson(c));
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, c.pair.privateKey, new Uint8Array(1));
  const isLocked = await crypto.subtle.exportKey('raw', c.key).then(() => false, () => true);
  for (let nth = 0; nth < 40; nth += 1) await people.save(await make('many' + nth, 10 + nth), []);
  const many = names(await people.all());
  await people.forget(many);
  return {
    kept, face, isLocked, signed: signature.byteLength,
    foreign: names(await people.listComparable('gallery', 'another')), most: many.length, hasOldest: many.includes('b'),
    left: names(await people.all()),
  };
})()`;

describe.skipIf(!chromiumPath)('in Chromium', () => {
  let folder: string;
  let picture: Buffer<ArrayBuffer>;

  beforeAll(async () => {
    folder = await buildEnginePage();
    const models = await openModels(['detect']);
    const group = await readSample(1);
    const portrait = cutPortrait(group, (await detectFaces(models, group))[0]!.box);
    picture = Buffer.from(encode({ ...portrait, data: Buffer.from(portrait.data) }, 95).data);
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function openPage() {
    const served = await serveEnginePage(folder, { picture });
    onTestFinished(() => served.close());
    const page = await (await launchBrowser()).newPage();
    await page.goto(served.url);
    return { page, served };
  }

  it('encrypts a face to a different probe each time and a small selfie, with a library loaded on demand from the page’s origin', async () => {
    const { page, served } = await openPage();
    const { models } = await loadManifest();
    const modelId = nameModel(models.find(({ role }) => role === 'embedding')!.identity);
    const { publicKey } = await makeKeyPair();
    const identity = await makeIdentity();
    const signature = await signChallenge(identity.privateKey, {
      challenge: CHALLENGE,
      purpose: 'identify',
      session: 'session',
      expiresAt: EXPIRES_AT,
      publicKey,
    });
    const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
    const key = {
      publicKey: toText(publicKey),
      identity: toText(identity.publicKey),
      signature: toText(signature),
    };
    const made = await page.evaluate<EncryptionReport>(programFor(served.manifestHash, modelId, key));
    expect(made.refused).toBe(true);

    const probes = made.probes.map((probe) => readToken(Buffer.from(probe, 'base64')));
    expect(probes.map(({ keyId, modelId: model }) => [keyId, model])).toEqual([
      [CHALLENGE, modelId],
      [CHALLENGE, modelId],
    ]);
    expect(probes[0]!.body).not.toEqual(probes[1]!.body);
    expect([made.other, made.bytesBefore]).toEqual(['mismatch', 0]);

    const jpeg = Buffer.from(made.selfie, 'base64');
    const { width, height } = decodePicture(jpeg);
    expect(Math.max(width, height)).toBeLessThanOrEqual(640);
    expect(jpeg.length).toBeLessThanOrEqual(200 * 1024);
    expect(served.asked.filter((path) => /seal.*\.wasm$/.test(path))).toHaveLength(1);
    expect(served.violations).toEqual([]);
  });

  it('stores a bounded number of people under keys that cannot be exported, until they are deleted', async () => {
    const { page } = await openPage();
    expect(await page.evaluate(PEOPLE)).toEqual({
      kept: ['b', 'c'],
      face: [3, 1],
      isLocked: true,
      signed: 64,
      foreign: [],
      most: 32,
      hasOldest: false,
      left: [],
    });
  });
});
