// The biometric node over HTTP: predictions, deletions and exact replies.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { NOBODY, NOBODY_PLAIN, type NodeClient, newCustomer, postTo } from '#testing/faces/node-client.ts';
import { faceAlike, faceOf, pictureOf } from '#testing/faces/node-faces.ts';
import { shareNodeApp } from '#testing/faces/shared-app.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

let app: TestApp;
let client: NodeClient;
shareNodeApp((test) => ({ app, client } = test));

function rot13(text: string): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz';
  return text.replace(/[a-z]/g, (letter) => alphabet[(alphabet.indexOf(letter) + 13) % 26]!);
}

describe('predict', () => {
  it('answers K = 1 encrypted and plain', async () => {
    const face = faceOf(11);
    const person = client.openIds((await client.enroll([face])).json());
    for (const body of [{}, { K: 1 }]) {
      const found = await client.predict([pictureOf(face, 0.4)], { body });
      expect(found.statusCode).toBe(200);
      expect(found.json()).toEqual({
        status: 0,
        message: 'Ok',
        puid: expect.any(String),
        guid: expect.any(String),
        enroll_level: 1,
        score: expect.any(Number),
      });
      expect(client.openIds(found.json())).toEqual(person);
      const plain = await client.plainPredict(pictureOf(face, 0.4), { body: { ...body, version: 'FACE3_1' } });
      const { score } = found.json();
      expect(plain.json()).toEqual({ status: 0, statusCode: 200, message: 'Ok', ...person, score, enroll_level: 1 });
    }
  });

  it('returns the cosine of the centered vectors as the score', async () => {
    const [first, second] = [faceAlike(1), faceAlike(0.75)];
    await client.plainEnroll(first.map((value) => value * 40 + 7));
    expect((await client.plainPredict(second.map((value) => value * 0.01 - 3))).json().score).toBeCloseTo(0.75, 5);
  });

  it('finds people from a similarity of 0.6', async () => {
    await client.plainEnroll(faceAlike(1));
    expect((await client.plainPredict(faceAlike(0.601))).json()).toMatchObject({ status: 0 });
    expect((await client.plainPredict(faceAlike(0.599))).json()).toEqual(NOBODY_PLAIN);
  });

  it('answers a stranger exactly as rule 5 says, for any K', async () => {
    await client.enroll([faceOf(12)]);
    await client.plainEnroll(faceOf(12));
    for (const body of [{}, { K: 1 }, { K: 5 }]) {
      const reply = await client.predict([faceOf(13)], { body });
      expect(reply.statusCode).toBe(200);
      expect(reply.json()).toEqual(NOBODY);
      const plain = await client.plainPredict(faceOf(13), { body });
      expect(plain.statusCode).toBe(200);
      expect(plain.json()).toEqual(NOBODY_PLAIN);
    }
  });

  it('answers the same if no one was ever enrolled', async () => {
    expect((await client.predict([faceOf(12)])).json()).toEqual(NOBODY);
    expect((await client.plainPredict(faceOf(12))).json()).toEqual(NOBODY_PLAIN);
  });

  it('lists at most K people, best first, none below the threshold', async () => {
    const face = faceAlike(1);
    const puids: string[] = [];
    for (const person of [faceAlike(0.65, 1), faceAlike(0.7, 2), faceAlike(0.8, 3), faceAlike(0.5, 4)]) {
      puids.push(client.openIds((await client.enroll([person])).json()).puid);
    }
    expect(new Set(puids).size).toBe(4);
    const reply = (await client.predict([face], { body: { K: 100 } })).json();
    expect(Object.keys(reply).sort()).toEqual(['PI_list', 'message', 'status']);
    expect(reply).toMatchObject({ status: 0, message: 'Ok' });
    const list: { puid: string; guid: string; score: number }[] = reply.PI_list;
    expect(list.map((entry) => client.openIds(entry).puid)).toEqual([puids[2], puids[1], puids[0]]);
    expect(new Set(list.map((entry) => client.openIds(entry).guid)).size).toBe(1);
    expect(list.map(({ score }) => score)).toEqual([0.8, 0.7, 0.65]);
    for (const entry of list) expect(Object.keys(entry).sort()).toEqual(['guid', 'puid', 'score']);
    expect((await client.predict([face], { body: { K: 2 } })).json().PI_list).toHaveLength(2);

    const plain = (await client.plainPredict(face, { body: { K: 3, version: 'FACE3_1' } })).json();
    expect(plain).toEqual({
      status: 0,
      statusCode: 200,
      message: 'Ok',
      PI_list: list.map((entry) => ({ ...client.openIds(entry), score: entry.score })),
    });
  });

  it('lists a second person after one with many embeddings', async () => {
    const many = Array.from({ length: 64 }, (_, i) => pictureOf(faceAlike(1), 0.1, i + 1));
    expect((await client.enroll(many)).json()).toMatchObject({ enroll_level: 64 });
    const { puid } = (await client.plainEnroll(faceAlike(0.5), { body: { version: 'FACE3_1' } })).json();
    const list = (await client.predict([faceAlike(0.9)], { body: { K: 2 } })).json().PI_list;
    expect(list.map((entry: { puid: string; guid: string }) => client.openIds(entry).puid)).toEqual([
      expect.not.stringContaining(puid),
      puid,
    ]);
  });

  it('averages several features without the bad ones', async () => {
    const face = faceOf(15);
    await client.enroll([face]);
    const pictures = [1, 2, 3, 4].map((seed) => pictureOf(face, 0.6, seed));
    const [one, all] = [await client.predict([pictures[0]!]), await client.predict(pictures)];
    expect(all.json().score).toBeGreaterThan(one.json().score + 0.05);
    const withStranger = await client.predict([...pictures, faceOf(16), face.map(() => 0)]);
    expect(withStranger.json().score).toBeCloseTo(all.json().score, 5);
  });

  it('searches only people enrolled under user_identifier', async () => {
    const [ada, grace] = [faceOf(17), faceOf(18)];
    const enroll = async (face: number[], id: string) =>
      client.openIds((await client.enroll([face], { body: { metadata: { id, note: 'ignored' } } })).json()).puid;
    const [adaPuid] = [await enroll(ada, 'ada@example.com'), await enroll(grace, 'grace@example.com')];
    const as = (face: number[], user_identifier: string, K?: number) =>
      client.predict([face], { body: { user_identifier, ...(K && { K }) } });
    const found = (await as(ada, 'ada@example.com')).json();
    expect(client.openIds(found).puid).toBe(adaPuid);
    expect((await as(ada, 'ada@example.com', 3)).json().PI_list).toHaveLength(1);
    expect((await as(ada, 'grace@example.com')).json()).toEqual(NOBODY);
    expect((await as(ada, 'grace@example.com', 3)).json()).toEqual(NOBODY);
    expect((await as(ada, 'nobody')).json()).toEqual(NOBODY);
    expect((await as(ada, 'ADA@example.com')).json()).toEqual(NOBODY);
    // A duplicate enrollment adds nothing, not even a name.
    await client.enroll([ada], { body: { metadata: { id: 'a second name' } } });
    expect((await as(ada, 'a second name')).json()).toEqual(NOBODY);
  });

  it('finds each of several people enrolled under one name', async () => {
    const body = { user_identifier: 'the twins' };
    const metadata = { id: 'the twins' };
    const puids: string[] = [];
    for (const face of [faceOf(31), faceOf(32)]) {
      puids.push((await client.plainEnroll(face, { body: { metadata } })).json().puid);
    }
    expect((await client.plainPredict(faceOf(31), { body })).json()).toMatchObject({ status: 0, puid: puids[0] });
    expect((await client.plainPredict(faceOf(32), { body })).json()).toMatchObject({ status: 0, puid: puids[1] });
    const stranger = await newCustomer(app);
    expect((await stranger.plainPredict(faceOf(31), { body })).json()).toEqual(NOBODY_PLAIN);
  });

  it('accepts metadata and user_identifier on the plain endpoints', async () => {
    const face = faceOf(19);
    const { puid } = (await client.plainEnroll(face, { body: { metadata: { id: 'x' } } })).json();
    const as = async (user_identifier: string) =>
      (await client.plainPredict(face, { body: { user_identifier } })).json();
    expect(await as('x')).toMatchObject({ status: 0, puid });
    expect(await as('y')).toEqual(NOBODY_PLAIN);
  });

  it('never treats a face as unknown while the index loads', async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.dispose());
    const environment = { SERVE: 'node' };
    const before = await startTestApp({ database, environment });
    const { apiKey, ...enrolled } = await newCustomer(before);
    const { puid } = (await enrolled.plainEnroll(faceOf(1))).json();
    await before.close();
    const after = await startTestApp({ database, environment });
    const headers = { 'x-api-key': apiKey };
    const body = { features: { embedding_vector: faceOf(1) } };
    const replies = await Promise.all([1, 2, 3].map(() => postTo(after, '/node/plainPredict', body, headers)));
    for (const reply of replies) expect(reply.json()).toMatchObject({ status: 0, puid });
  });
});

describe('rot13', () => {
  it('transforms puid and guid on the plain endpoints, including the list', async () => {
    const face = faceOf(25);
    const plain = (await client.plainEnroll(face)).json();
    const turned = { puid: rot13(plain.puid), guid: rot13(plain.guid) };
    expect(turned.puid).not.toBe(plain.puid);
    for (const encoding of ['rot13', 'ROT13']) {
      const headers = { 'x-encoding': encoding };
      expect((await client.plainEnroll(face, { headers })).json()).toMatchObject(turned);
      expect((await client.plainPredict(face, { headers })).json()).toMatchObject(turned);
      const list = (await client.plainPredict(face, { headers, body: { K: 2 } })).json();
      expect(list.PI_list).toEqual([{ ...turned, score: 1 }]);
      expect((await client.plainPredict(faceOf(26), { headers })).json()).toEqual(NOBODY_PLAIN);
      // Encrypted calls are not affected.
      const sealed = (await client.predict([face], { headers, version: 'FACE3_3' })).json();
      expect(client.openIds(sealed)).toEqual({ puid: plain.puid, guid: plain.guid });
    }
  });
});

describe('deleteUser', () => {
  const DELETED = { status: 200, message: 'delete successful' };

  it.each([
    ['as an encrypted reply gave it', (puid: string) => client.seal('puid', puid), {}],
    ['as a plain reply gave it', (puid: string) => puid, {}],
    ['in ROT13 with the header', rot13, { 'x-encoding': 'rot13' }],
  ])('accepts a puid %s', async (_name, write, headers) => {
    const face = faceOf(27);
    const { puid } = (await client.plainEnroll(face)).json();
    const reply = await client.deleteUser(write(puid), { headers: headers as Record<string, string> });
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toEqual(DELETED);
    expect((await client.plainPredict(face)).json()).toEqual(NOBODY_PLAIN);
    expect((await client.deleteUser(write(puid))).json()).toEqual({ status: 400, message: 'delete failed' });
    const again = (await client.plainEnroll(face)).json();
    expect(again.message).toBe('Ok');
    expect(again.puid).not.toBe(puid);
  });

  it('accepts the exact text of an enroll or predict reply, in any version', async () => {
    const face = faceOf(28);
    for (const version of ['FACE3_1', 'OTHER_9']) await client.enroll([face, pictureOf(face, 0.1)], { version });
    const { puid } = (await client.predict([face], { version: 'OTHER_9' })).json();
    expect((await client.deleteUser(puid, { version: 'FACE3_2' })).json()).toEqual(DELETED);
    expect((await client.predict([face], { version: 'OTHER_9' })).json()).toEqual(NOBODY);
    expect((await client.predict([face])).json()).toMatchObject({ status: 0, enroll_level: 2 });
  });

  it('removes every row of the person', async () => {
    const { queries } = app.database;
    const count = async () => ({
      people: (await queries.selectFrom('people').select('id').execute()).length,
      embeddings: (await queries.selectFrom('embeddings').select('id').execute()).length,
      jobs: (await queries.selectFrom('jobs').select('id').where('kind', '=', 'people.enrol').execute()).length,
    });
    const before = await count();
    const face = faceOf(29);
    const { puid } = (await client.enroll([face, pictureOf(face, 0.1)])).json();
    expect(await count()).toEqual({ people: before.people + 1, embeddings: before.embeddings + 2, jobs: 0 });
    await client.deleteUser(puid);
    expect(await count()).toEqual(before);
  });

  it('accepts one of many concurrent deletions', async () => {
    const { puid } = (await client.plainEnroll(faceOf(30))).json();
    const replies = await Promise.all(Array.from({ length: 6 }, () => client.deleteUser(puid)));
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400, 400, 400, 400, 400]);
  });
});
