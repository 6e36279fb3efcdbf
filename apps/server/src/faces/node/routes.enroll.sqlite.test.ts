// The biometric node over HTTP: keys, enrollments, galleries and exact replies.
import { describe, expect, it } from 'vitest';
import {
  KEY_CHECK,
  NOBODY,
  NOBODY_PLAIN,
  NODE_CALLS,
  type NodeClient,
  newCustomer,
  postTo,
} from '#testing/faces/node-client.ts';
import { faceAlike, faceOf, pictureOf } from '#testing/faces/node-faces.ts';
import { shareNodeApp } from '#testing/faces/shared-app.ts';
import type { TestApp } from '#testing/test-app.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let app: TestApp;
let client: NodeClient;
shareNodeApp((test) => ({ app, client } = test));

describe('the key check', () => {
  it.each([
    ['in the header', true, false],
    ['in the body', false, true],
    ['in both', true, true],
  ])('accepts the key %s', async (_name, inHeader, inBody) => {
    const { apiKey } = client;
    const reply = await postTo(
      app,
      KEY_CHECK,
      inBody ? { api_key: apiKey } : {},
      inHeader ? { 'x-api-key': apiKey } : {},
    );
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toEqual({ status: 0, message: 'API Key is valid' });
  });

  it('needs no body if the key is in the header', async () => {
    const { apiKey } = client;
    const reply = await app.http.inject({ method: 'POST', url: KEY_CHECK, headers: { 'x-api-key': apiKey } });
    expect(reply.json()).toEqual({ status: 0, message: 'API Key is valid' });
  });
});

describe('keys', () => {
  it.each(NODE_CALLS)('%s accepts the key in the body alone, or the same key in both', async (path) => {
    const { apiKey } = client;
    for (const headers of [{}, { 'x-api-key': '' }, { 'x-api-key': apiKey }]) {
      const reply = await postTo(app, path, { api_key: apiKey }, headers as Record<string, string>);
      expect([400, 500]).toContain(reply.statusCode);
      expect(reply.json().message).toMatch(/not provided\.$|^Missing PUID\.$/);
    }
  });

  it('isolate customers from each other', async () => {
    const face = faceOf(1);
    const [mine, theirs] = [client, await newCustomer(app)];
    const { puid, guid } = (await mine.plainEnroll(face)).json();
    expect((await theirs.plainPredict(face)).json()).toEqual(NOBODY_PLAIN);
    const refused = await theirs.deleteUser(puid);
    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toEqual({ status: 400, message: 'delete failed' });
    const enrolled = (await theirs.plainEnroll(face)).json();
    expect(enrolled).toMatchObject({ status: 0, message: 'Ok' });
    expect(enrolled.puid).not.toBe(puid);
    expect(enrolled.guid).not.toBe(guid);
    expect((await mine.plainPredict(face)).json()).toMatchObject({ puid, guid });
  });

  it('of one customer share its people, each with its own encryption', async () => {
    const face = faceOf(2);
    const [one, other] = [await newCustomer(app, 'a shared customer'), await newCustomer(app, 'a shared customer')];
    const enrolled = (await one.enroll([face])).json();
    const found = (await other.predict([face])).json();
    expect(found.status).toBe(0);
    expect(other.open('puid', found.puid)).toBe(one.open('puid', enrolled.puid));
    expect(() => one.open('puid', found.puid)).toThrow();
    // Data sealed for the other key does not open until it is sealed again.
    expect((await other.deleteUser(enrolled.puid)).json()).toEqual({ status: 400, message: 'delete failed' });
    expect((await other.deleteUser(found.puid)).json()).toEqual({ status: 200, message: 'delete successful' });
    expect((await one.predict([face])).json()).toEqual(NOBODY);
  });
});

describe('enroll', () => {
  it('answers encrypted, with Ok first and User Already Enrolled afterward', async () => {
    const face = faceOf(3);
    const first = await client.enroll([face], { version: 'FACE3_1' });
    expect(first.statusCode).toBe(200);
    expect(first.json()).toEqual({
      status: 0,
      message: 'Ok',
      enroll_level: 1,
      puid: expect.any(String),
      guid: expect.any(String),
      score: 1,
    });
    expect(client.openIds(first.json())).toEqual({
      puid: expect.stringMatching(UUID),
      guid: expect.stringMatching(UUID),
    });
    const again = (await client.enroll([pictureOf(face, 0.3)])).json();
    expect(again).toEqual({
      status: 0,
      message: 'User Already Enrolled',
      enroll_level: 1,
      puid: expect.any(String),
      guid: expect.any(String),
      score: expect.any(Number),
    });
    expect(again.score).toBeGreaterThan(0.6);
    expect(again.score).toBeLessThan(1);
    expect(client.openIds(again)).toEqual(client.openIds(first.json()));
    // A fresh nonce each time, so equal ids never look equal.
    expect(again.puid).not.toBe(first.json().puid);
    expect(again.guid).not.toBe(first.json().guid);
    expect(() => client.open('guid', again.puid)).toThrow();
  });

  it('answers in the plain form', async () => {
    const face = faceOf(4);
    const first = await client.plainEnroll(face);
    expect(first.statusCode).toBe(200);
    expect(first.json()).toEqual({
      status: 0,
      statusCode: 200,
      message: 'Ok',
      puid: expect.stringMatching(UUID),
      guid: expect.stringMatching(UUID),
      enroll_level: 1,
    });
    expect((await client.plainEnroll(pictureOf(face, 0.3))).json()).toEqual({
      ...first.json(),
      message: 'User Already Enrolled',
    });
  });

  it('stores every embedding of a request; a duplicate adds nothing', async () => {
    const face = faceOf(5);
    const pictures = [1, 2, 3].map((seed) => pictureOf(face, 0.3, seed));
    expect((await client.enroll(pictures)).json()).toMatchObject({ message: 'Ok', enroll_level: 3 });
    expect((await client.enroll([face, face])).json()).toMatchObject({
      message: 'User Already Enrolled',
      enroll_level: 3,
    });
    expect((await client.predict([face])).json()).toMatchObject({ enroll_level: 3 });
    expect((await client.predict([face], { body: { K: 10 } })).json().PI_list).toHaveLength(1);
  });

  it('leaves out vectors that are unlike the rest (0.8), not finite or zero', async () => {
    const [face, stranger] = [faceOf(6), faceOf(7)];
    const zeros = face.map(() => 0);
    const pictures = [pictureOf(face, 0.2, 1), pictureOf(face, 0.2, 2), pictureOf(face, 0.2, 3)];
    const reply = (await client.enroll([zeros, ...pictures, stranger])).json();
    expect(reply).toMatchObject({ status: 0, message: 'Ok', enroll_level: 3 });
    expect((await client.predict([stranger])).json()).toEqual(NOBODY);
    expect((await client.predict([face])).json()).toMatchObject({ status: 0, enroll_level: 3 });
    // Its similarity to the mean of both is sqrt((1 + s) / 2): 0.8 exactly at s = 0.28.
    expect((await client.enroll([faceAlike(1), faceAlike(0.29)])).json()).toMatchObject({ status: 0, enroll_level: 2 });
    expect((await client.enroll([faceAlike(1), faceAlike(0.27)])).json()).toMatchObject({ status: 152 });
  });

  it.each([
    ['a vector of zeros', [faceOf(1).map(() => 0)]],
    ['two people', [faceOf(1), faceOf(2)]],
    ['opposites', [faceOf(1), faceOf(1).map((value) => -value)]],
  ])('answers 152, and predict 153, when no embedding is left: %s', async (_name, vectors) => {
    const enroll = await client.enroll(vectors);
    const predict = await client.predict(vectors);
    expect([enroll.statusCode, predict.statusCode]).toEqual([200, 200]);
    expect(enroll.json()).toEqual({ status: 152, message: expect.stringMatching(/^Face enrollment failed/) });
    expect(predict.json()).toEqual({ status: 153, message: expect.stringMatching(/^Face authentication failed/) });
  });

  it('answers 152 and 153 on the plain endpoints too', async () => {
    const zeros = faceOf(1).map(() => 0);
    expect((await client.plainEnroll(zeros)).json()).toMatchObject({ status: 152, statusCode: 200 });
    expect((await client.plainPredict(zeros)).json()).toMatchObject({ status: 153, statusCode: 200 });
  });

  it('makes one person of concurrent enrollments of one face', async () => {
    const face = faceOf(8);
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, i) => client.plainEnroll(pictureOf(face, 0.1, i + 1))),
    );
    const bodies = replies.map((reply) => reply.json());
    expect(bodies.filter(({ message }) => message === 'Ok')).toHaveLength(1);
    expect(bodies.filter(({ message }) => message === 'User Already Enrolled')).toHaveLength(11);
    expect(new Set(bodies.map(({ puid }) => puid)).size).toBe(1);
  });

  it('accepts features of any type or none, and unknown fields', async () => {
    const features = { embedding_vector: faceOf(9), angle: 3 };
    expect((await client.post('/node/plainEnroll', { features, more: true })).json()).toMatchObject({ message: 'Ok' });
    const typed = { ...features, type: '🙂' };
    expect((await client.post('/node/plainPredict', { features: typed })).json()).toMatchObject({ status: 0 });
  });

  it.each([128, 129, 511, 512])('accepts a vector of %i numbers', async (length) => {
    const face = faceOf(10, { length });
    expect((await client.plainEnroll(face)).json()).toMatchObject({ message: 'Ok' });
    expect((await client.plainPredict(face)).json()).toMatchObject({ status: 0, score: 1 });
  });
});

describe('galleries', () => {
  it('are separate by version, with their own random ids', async () => {
    const face = faceOf(21);
    const one = client.openIds((await client.enroll([face], { version: 'FACE3_2' })).json());
    expect((await client.predict([face], { version: 'FACE3_4' })).json()).toEqual(NOBODY);
    const other = (await client.enroll([face], { version: 'FACE3_4' })).json();
    expect(other.message).toBe('Ok');
    expect(client.openIds(other).puid).not.toBe(one.puid);
    expect(client.openIds(other).guid).not.toBe(one.guid);
    expect(client.openIds((await client.predict([face], { version: 'FACE3_2' })).json())).toEqual(one);
  });

  it('are separate by vector length', async () => {
    const long = faceOf(22, { length: 256 });
    const short = long.slice(0, 128);
    const one = (await client.plainEnroll(long)).json();
    expect((await client.plainPredict(short)).json()).toEqual(NOBODY_PLAIN);
    const other = (await client.plainEnroll(short)).json();
    expect(other.message).toBe('Ok');
    expect(other.guid).not.toBe(one.guid);
  });

  it('default to FACE3_1 for encrypted calls and FACE3_3 for plain ones', async () => {
    const face = faceOf(23);
    const plain = (await client.plainEnroll(face)).json();
    expect((await client.predict([face])).json()).toEqual(NOBODY);
    expect(client.openIds((await client.predict([face], { version: 'FACE3_3' })).json()).puid).toBe(plain.puid);
    expect((await client.plainPredict(face, { body: { version: 'FACE3_3' } })).json().puid).toBe(plain.puid);
    // An encrypted call takes the version from the path alone.
    const sealed = client.openIds((await client.enroll([face], { body: { version: 'FACE3_3' } })).json());
    expect(sealed.puid).not.toBe(plain.puid);
    expect(client.openIds((await client.predict([face], { version: 'FACE3_1' })).json())).toEqual(sealed);
    expect((await client.plainPredict(face, { body: { version: 'FACE3_1' } })).json()).toMatchObject(sealed);
  });

  it.each(['A', '_', '0', 'MY_MODEL_2026', 'A'.repeat(32)])('accept the version %s', async (version) => {
    const face = faceOf(24);
    const { puid } = (await client.plainEnroll(face, { body: { version } })).json();
    expect(client.openIds((await client.predict([face], { version })).json()).puid).toBe(puid);
  });
});
