// Abuse of the biometric node: forged and replayed ciphertexts, extreme numbers, confusing bodies.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { featureOf, type NodeClient, newCustomer, postTo } from '#testing/faces/node-client.ts';
import { faceOf, pictureOf } from '#testing/faces/node-faces.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

const CALLS = ['/node/plainEnroll', '/node/plainPredict'];
const VECTOR = faceOf(1);

let app: TestApp;
let dispose: () => Promise<void>;
let client: NodeClient;

beforeAll(async () => {
  const environment = { SERVE: 'node', NODE_RATE_BURST: '100000', NODE_STRANGER_RATE_BURST: '100000' };
  app = await startTestApp({ environment, atEnd: (end) => (dispose = end) });
});
afterAll(async () => {
  // No request caused an unexpected error.
  expect(app.logged()).not.toMatch(/a request failed|an attempt of a job failed/);
  await dispose();
});
beforeEach(async () => {
  client = await newCustomer(app);
});

/** HTTP status, then the status in the body. */
async function outcome(path: string, body: unknown): Promise<[number, number]> {
  const reply = await client.post(path, body);
  return [reply.statusCode, reply.json().status];
}

/** The next letter in base64url. */
function nextLetter(letter: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return letters[(letters.indexOf(letter) + 1) % 64]!;
}

/** A body with a literally written vector. */
function written(numbers: readonly string[]): string {
  return `{"features":{"embedding_vector":[${numbers.join(',')}]}}`;
}

describe('ciphertexts', () => {
  it('are processed again when replayed, without effect', async () => {
    const features = client.seal('features', JSON.stringify([featureOf(VECTOR)]));
    const enroll = async () => (await client.post('/node/enroll', { features })).json();
    const [first, again] = [await enroll(), await enroll()];
    expect([first.message, again.message]).toEqual(['Ok', 'User Already Enrolled']);
    expect(client.open('puid', again.puid)).toBe(client.open('puid', first.puid));
    const predict = async () => (await client.post('/node/predict', { features })).json().status;
    expect([await predict(), await predict()]).toEqual([0, 0]);
    const remove = async () => (await client.deleteUser(first.puid)).json().message;
    expect([await remove(), await remove()]).toEqual(['delete successful', 'delete failed']);
    expect(await predict()).toBe(-1);
  });

  it('are refused if changed anywhere', async () => {
    const sealed = Buffer.from(client.seal('features', JSON.stringify([featureOf(VECTOR)])), 'base64url');
    // Version, nonce, ciphertext and tag, each at both ends and in the middle.
    const places = [0, 1, 6, 12, 13, 14, Math.floor(sealed.length / 2), -18, -17, -16, -8, -1];
    for (const place of places) {
      for (const bit of [1, 0x80]) {
        const forged = Buffer.from(sealed);
        const at = place < 0 ? forged.length + place : place;
        forged[at]! ^= bit;
        expect(await outcome('/node/predict', { features: forged.toString('base64url') })).toEqual([400, -2]);
      }
    }
    for (const forged of [sealed.subarray(0, -1), sealed.subarray(1), Buffer.concat([sealed, Buffer.of(0)])]) {
      expect(await outcome('/node/predict', { features: forged.toString('base64url') })).toEqual([400, -2]);
    }
    for (let length = 0; length < 30; length++) {
      const stub = sealed.subarray(0, length).toString('base64url');
      expect(await outcome('/node/predict', { features: stub })).toEqual([400, -2]);
    }
    expect(await outcome('/node/predict', { features: sealed.toString('base64url') })).toEqual([200, -1]);
  });

  it('have a single encoding', async () => {
    const json = JSON.stringify([featureOf(VECTOR)]);
    const text = client.seal('features', json);
    const spellings = [`${text}=`, `${text}\n`, ` ${text}`, `${text}A`, text.replace(/./, '$&\n')];
    // If the bytes do not fill the last letter, other letters decode to the same bytes.
    for (const padding of ['', ' ', '  ']) {
      const sealed = client.seal('features', json + padding);
      const bytes = Buffer.from(sealed, 'base64url');
      const stray = sealed.slice(0, -1) + nextLetter(sealed.at(-1)!);
      if (Buffer.from(stray, 'base64url').equals(bytes)) spellings.push(stray);
    }
    expect(spellings.length).toBeGreaterThan(6);
    for (const features of spellings) expect(await outcome('/node/predict', { features })).toEqual([400, -2]);
  });

  it('are refused in another field or under another key', async () => {
    const enrolled = (await client.enroll([VECTOR])).json();
    expect(await outcome('/node/predict', { features: enrolled.puid })).toEqual([400, -2]);
    expect(await outcome('/node/deleteUser', { puid: enrolled.guid })).toEqual([400, 400]);
    const other = await newCustomer(app);
    const features = client.seal('features', JSON.stringify([featureOf(VECTOR)]));
    expect((await other.post('/node/predict', { features })).json().status).toBe(-2);
    expect((await client.predict([VECTOR])).json().status).toBe(0);
  });
});

describe('numbers', () => {
  it.each(['NaN', 'Infinity', '-Infinity', '01', '+1', '.5', '0x10', '1_000', '1e'])(
    '%s is no JSON',
    async (number) => {
      const numbers = VECTOR.map(String).with(7, number);
      for (const path of CALLS) expect(await outcome(path, written(numbers))).toEqual([400, -2]);
      const features = client.seal('features', `[{"embedding_vector":[${numbers}]}]`);
      expect(await outcome('/node/predict', { features })).toEqual([400, -2]);
    },
  );

  it.each([
    ['1e999, which is infinite', VECTOR.map(String).with(7, '1e999')],
    ['-1e999', VECTOR.map(String).with(127, '-1e999')],
    ['zeros', VECTOR.map(() => '0')],
    ['negative zeros', VECTOR.map(() => '-0')],
    ['what is too small to be more than zero', VECTOR.map(() => '1e-400')],
  ])('are bad: %s', async (_name, numbers) => {
    expect(await outcome('/node/plainEnroll', written(numbers))).toEqual([200, 152]);
    expect(await outcome('/node/plainPredict', written(numbers))).toEqual([200, 153]);
  });

  it.each([
    ['1e308 throughout', VECTOR.map((value) => `${value < 0 ? '-' : ''}1e308`)],
    ['the largest there is', VECTOR.map((value) => String(Math.sign(value) * Number.MAX_VALUE))],
    ['the smallest there is', VECTOR.map((value) => String(Math.sign(value) * Number.MIN_VALUE))],
    ['one of 1e308 among small ones', VECTOR.map(String).with(3, '1e308')],
    ['one denormal among zeros', VECTOR.map(() => '0').with(3, '5e-324')],
    ['all the same', VECTOR.map(() => '0.25')],
    ['all 1e308', VECTOR.map(() => '1e308')],
    ['whole numbers', VECTOR.map((value) => String(Math.round(value * 100)))],
    ['digits without end', VECTOR.map((value) => `${value}${'1'.repeat(300)}`.replace(/e.*/, ''))],
  ])('are accepted: %s', async (_name, numbers) => {
    expect(await outcome('/node/plainEnroll', written(numbers))).toEqual([200, 0]);
    const found = (await client.post('/node/plainPredict', written(numbers))).json();
    expect(found).toMatchObject({ status: 0, score: 1 });
    expect((await client.plainPredict(faceOf(99))).json().status).toBe(-1);
  });
});

describe('vectors', () => {
  it.each([
    ['none', []],
    ['127 numbers', faceOf(1, { length: 127 })],
    ['513 numbers', faceOf(1, { length: 513 })],
    ['10,000 numbers', faceOf(1, { length: 10_000 })],
    ['text', VECTOR.map(String)],
    ['one text among numbers', [...VECTOR.slice(1), '1']],
    ['nested', [VECTOR]],
    ['one array among numbers', [...VECTOR.slice(1), [1]]],
    ['one number in an object', [...VECTOR.slice(1), { valueOf: 1 }]],
    ['holes', Array.from({ length: 128 })],
    ['one null', VECTOR.map((value, i) => (i === 5 ? null : value))],
    ['booleans', VECTOR.map((value) => value > 0)],
  ])('are refused with 400: %s', async (_name, vector) => {
    for (const path of CALLS) {
      expect(await outcome(path, { features: { embedding_vector: vector } })).toEqual([400, 400]);
    }
    const features = client.seal('features', JSON.stringify([{ embedding_vector: vector }]));
    expect(await outcome('/node/enroll', { features })).toEqual([400, 400]);
  });

  it('are refused by length, not by body size, at 10,000 full-precision numbers', async () => {
    const reply = await client.post('/node/plainEnroll', { features: featureOf(faceOf(1, { length: 10_000 })) });
    expect(reply.json().message).toMatch(/128 to 512 numbers; it has 10000/);
  });

  it('are accepted up to 64 per request', async () => {
    const pictures = Array.from({ length: 65 }, (_, i) => pictureOf(faceOf(1, { length: 512 }), 0.2, i + 1));
    expect((await client.enroll(pictures)).json()).toEqual({
      status: 400,
      message: expect.stringMatching(/at most 64/),
    });
    const most = await client.enroll(pictures.slice(1));
    expect(most.json()).toMatchObject({ status: 0, message: 'Ok', enroll_level: 64 });
    expect((await client.predict(pictures.slice(1))).json()).toMatchObject({ status: 0, enroll_level: 64 });
  });

  it('of different lengths in one request are refused with 400', async () => {
    const mixed = [faceOf(1), faceOf(1, { length: 256 })];
    expect((await client.enroll(mixed)).json()).toMatchObject({ status: 400 });
    expect((await client.predict(mixed)).json()).toMatchObject({ status: 400 });
  });
});

describe('bodies', () => {
  const feature = JSON.stringify(featureOf(VECTOR));

  it('with a duplicate key use the last value', async () => {
    const { apiKey } = client;
    const [right, wrong] = [`"api_key":"${apiKey}"`, '"api_key":"wrong"'];
    const text = (...parts: string[]) => `{${[...parts, `"features":${feature}`].join(',')}}`;
    expect((await postTo(app, '/node/plainPredict', text(wrong, right))).statusCode).toBe(200);
    expect((await postTo(app, '/node/plainPredict', text(right, wrong))).statusCode).toBe(403);
    // An escaped name is the same name.
    expect((await postTo(app, '/node/plainPredict', text(right, '"api_\\u006bey":"wrong"'))).statusCode).toBe(403);
    expect((await client.post('/node/plainPredict', text(right, wrong))).statusCode).toBe(403);
    expect(await outcome('/node/plainPredict', `{"features":5,"features":${feature}}`)).toEqual([200, -1]);
    expect(await outcome('/node/plainPredict', `{"features":${feature},"features":null}`)).toEqual([400, -2]);
    expect(await outcome('/node/plainPredict', `{"features":${feature},"K":1,"K":101}`)).toEqual([400, 400]);
    const twice = `{"embedding_vector":[1],"embedding_vector":[${VECTOR}]}`;
    expect(await outcome('/node/plainPredict', `{"features":${twice}}`)).toEqual([200, -1]);
  });

  it('that touch prototypes are refused, even inside a ciphertext', async () => {
    for (const text of [
      `{"__proto__":{"features":${feature}}}`,
      `{"features":{"__proto__":${feature}}}`,
      `{"features":${feature},"constructor":{"prototype":{"x":1}}}`,
      `{"\\u005f_proto__":{"api_key":"x"},"features":${feature}}`,
    ]) {
      for (const path of CALLS) expect(await outcome(path, text)).toEqual([400, -2]);
    }
    const features = client.seal('features', `[{"__proto__":${feature}}]`);
    expect(await outcome('/node/enroll', { features })).toEqual([400, -2]);
  });

  it('with names of built-in properties are treated like any other', async () => {
    expect(await outcome('/node/plainPredict', { features: { toString: 1 } })).toEqual([400, 400]);
    expect(await outcome('/node/plainEnroll', { features: featureOf(VECTOR), metadata: { id: '__proto__' } })).toEqual([
      200, 0,
    ]);
    const named = { features: featureOf(VECTOR), user_identifier: '__proto__' };
    expect(await outcome('/node/plainPredict', named)).toEqual([200, 0]);
    expect(await outcome('/node/plainPredict', { ...named, user_identifier: 'constructor' })).toEqual([200, -1]);
    expect(await outcome('/node/plainPredict', { features: featureOf(VECTOR), version: 'constructor' })).toEqual([
      400, 400,
    ]);
  });

  it('with deep nesting are refused like shallow ones', async () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    for (const path of CALLS) expect((await outcome(path, `{"features":${deep}}`))[0]).toBe(400);
    const objects = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    for (const path of CALLS) expect((await outcome(path, `{"features":${objects}}`))[0]).toBe(400);
    expect((await outcome('/node/enroll', { features: client.seal('features', deep) }))[0]).toBe(400);
    expect((await postTo(app, '/node/enroll', `{"api_key":${deep}}`)).statusCode).toBe(403);
  });

  it('with names in any script keep people apart', async () => {
    const names = ['ä', 'a\u0308', '\u0000', '字', ' ', 'a\nb', '\ud83d\ude00', 'x'.repeat(256)];
    for (const [i, id] of names.entries()) {
      const reply = await client.plainEnroll(faceOf(40 + i), { body: { metadata: { id } } });
      expect(reply.json()).toMatchObject({ status: 0, message: 'Ok' });
    }
    for (const [i, user_identifier] of names.entries()) {
      const as = async (face: number[]) =>
        (await client.plainPredict(face, { body: { user_identifier } })).json().status;
      expect([await as(faceOf(40 + i)), await as(faceOf(40 + ((i + 1) % names.length)))]).toEqual([0, -1]);
    }
  });
});
