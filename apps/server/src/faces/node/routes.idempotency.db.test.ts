// Repeated, failing and rejected enrollments: outcomes are stable and all-or-nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SKIPS_ENGINE_BLIND } from '#testing/database/test-database.ts';
import { createNodeClient, newCustomer } from '#testing/faces/node-client.ts';
import { faceOf, pictureOf } from '#testing/faces/node-faces.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';
import { DatabaseError } from '../../platform/base/database-failures.ts';
import { AppError } from '../../platform/base/errors.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const clock = createManualClock();
const once = (key: string) => ({ 'idempotency-key': key });

let app: TestApp;
let dispose: () => Promise<void>;

beforeAll(async () => {
  app = await startTestApp({ clock, environment: { SERVE: 'node' }, atEnd: (end) => (dispose = end) });
});
afterAll(() => dispose());

describe('Idempotency-Key', () => {
  it('repeats the first outcome on both enrollment endpoints', async () => {
    const customer = await newCustomer(app);
    const face = faceOf(1);
    const plain = await customer.plainEnroll(face, { headers: once('a') });
    expect(plain.json()).toMatchObject({ message: 'Ok' });
    const again = await customer.plainEnroll(face, { headers: once('a') });
    expect([again.statusCode, again.json()]).toEqual([200, plain.json()]);
    // Without the key it is another request.
    expect((await customer.plainEnroll(face)).json()).toMatchObject({ message: 'User Already Enrolled' });
  });

  it('compares encrypted features by their bytes', async () => {
    const customer = await newCustomer(app);
    const opened = ({ puid, guid, ...rest }: { puid: string; guid: string }) => ({
      ...rest,
      puid: customer.open('puid', puid),
      guid: customer.open('guid', guid),
    });
    const feature = { embedding_vector: faceOf(1) };
    const seal = () => ({ features: customer.seal('features', JSON.stringify([feature, feature])) });
    const sealed = seal();
    const send = (body: object) => customer.post('/node/FACE3_1/enroll', body, once('b'));
    const first = (await send(sealed)).json();
    const second = (await send({ note: 1, ...sealed })).json();
    expect(opened(second)).toEqual(opened(first));
    expect(second).toMatchObject({ message: 'Ok', enroll_level: 2, score: 1 });
    // Encrypted again, the bytes differ although the face does not.
    expect((await send(seal())).statusCode).toBe(422);
  });

  it('is refused with 422 for another face, version or name, and keeps the first person', async () => {
    const customer = await newCustomer(app);
    const face = faceOf(1);
    const { puid } = (await customer.plainEnroll(face, { headers: once('a') })).json();
    for (const reply of [
      await customer.plainEnroll(faceOf(2), { headers: once('a') }),
      await customer.plainEnroll(face, { headers: once('a'), body: { version: 'OTHER' } }),
      await customer.plainEnroll(face, { headers: once('a'), body: { metadata: { id: 'x' } } }),
      await customer.enroll([face], { headers: once('a') }),
      await customer.enroll([face, pictureOf(face, 0.1)], { version: 'FACE3_3', headers: once('a') }),
    ]) {
      expect(reply.statusCode).toBe(422);
      expect(reply.json()).toEqual({ status: 422, message: expect.stringMatching(/different body/) });
    }
    expect((await customer.plainPredict(faceOf(2))).json()).toMatchObject({ status: -1 });
    expect((await customer.plainPredict(face)).json()).toMatchObject({ status: 0, puid });
  });

  it('is separate per customer', async () => {
    const [one, other] = [await newCustomer(app), await newCustomer(app)];
    const { puid } = (await one.plainEnroll(faceOf(1), { headers: once('a') })).json();
    const theirs = (await other.plainEnroll(faceOf(2), { headers: once('a') })).json();
    expect(theirs).toMatchObject({ status: 0, message: 'Ok' });
    expect(theirs.puid).not.toBe(puid);
  });

  it('gives one outcome to concurrent requests', async () => {
    const customer = await newCustomer(app);
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => customer.plainEnroll(faceOf(1), { headers: once('a') })),
    );
    const bodies = new Set(replies.map((reply) => reply.body));
    expect(bodies.size).toBe(1);
    expect(replies[0]?.json()).toMatchObject({ message: 'Ok' });
  });

  it.each([128, 129])('accepts one of two different concurrent bodies (second of length %i)', async (length) => {
    const customer = await newCustomer(app);
    const faces = [faceOf(1), faceOf(2, { length })];
    const replies = await Promise.all(faces.map((face) => customer.plainEnroll(face, { headers: once('a') })));
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, 422]);
    const found = await Promise.all(faces.map(async (face) => (await customer.plainPredict(face)).json().status));
    expect(found).toEqual(replies.map(({ statusCode }) => (statusCode === 200 ? 0 : -1)));
  });

  it('expires with its person and after 24 hours', async () => {
    const customer = await newCustomer(app);
    const enroll = async () => (await customer.plainEnroll(faceOf(1), { headers: once('a') })).json();
    const first = await enroll();
    await customer.deleteUser(first.puid);
    const second = await enroll();
    expect(second).toMatchObject({ message: 'Ok' });
    expect(second.puid).not.toBe(first.puid);
    clock.advance(DAY_MS - 1);
    expect(await enroll()).toEqual(second);
    clock.advance(1);
    expect(await enroll()).toEqual({ ...second, message: 'User Already Enrolled' });
  });

  it.each(['', ' ', 'a b', 'ä', 'x'.repeat(256)])('is refused if it is %j', async (key) => {
    const customer = await newCustomer(app);
    const reply = await customer.plainEnroll(faceOf(1), { headers: once(key) });
    expect(reply.statusCode).toBe(400);
    expect(reply.json()).toEqual({ status: 400, message: expect.stringMatching(/^header\.idempotency-key must be/) });
  });
});

describe.skipIf(SKIPS_ENGINE_BLIND)('an enrollment that fails', () => {
  /** Makes the next transactions fail right before the commit. */
  function breakTransactions(count: number, failure: () => Error = () => new Error('the disk is away for a moment')) {
    const { database } = app;
    const { transact } = database;
    let left = count;
    database.transact = (run) => {
      if (left === 0) {
        database.transact = transact;
        return transact(run);
      }
      left -= 1;
      return transact(async (trx) => {
        await run(trx);
        throw failure();
      });
    };
  }

  async function leftBehind() {
    const { queries } = app.database;
    const people = await queries.selectFrom('people').select('id').execute();
    const embeddings = await queries.selectFrom('embeddings').select('id').execute();
    const jobs = await queries.selectFrom('jobs').select('id').where('kind', '=', 'people.enrol').execute();
    return { people: people.length, embeddings: embeddings.length, jobs: jobs.length };
  }

  it('is retried up to three times', async () => {
    const customer = await newCustomer(app);
    const before = await leftBehind();
    breakTransactions(2);
    const reply = await customer.enroll([faceOf(1), pictureOf(faceOf(1), 0.1)]);
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toMatchObject({ status: 0, message: 'Ok', enroll_level: 2 });
    expect(await leftBehind()).toEqual({ ...before, people: before.people + 1, embeddings: before.embeddings + 2 });
    expect((await customer.predict([faceOf(1)])).json()).toMatchObject({ status: 0, enroll_level: 2 });
  });

  it.each(['enroll', 'plainEnroll'] as const)(
    'answers 500 with 152 after the third, and leaves nothing: %s',
    async (call) => {
      const customer = await newCustomer(app);
      const before = await leftBehind();
      const enroll = (headers: Record<string, string>) =>
        call === 'enroll' ? customer.enroll([faceOf(1)], { headers }) : customer.plainEnroll(faceOf(1), { headers });
      breakTransactions(3);
      const reply = await enroll(once('a'));
      expect(reply.statusCode).toBe(500);
      expect(reply.json()).toEqual({ status: 152, message: expect.stringMatching(/^Face enrollment failed/) });
      expect(await leftBehind()).toEqual(before);
      expect(app.logged()).not.toContain('the disk is away');
      // The key does not remember the failure.
      expect((await enroll(once('a'))).json()).toMatchObject({ status: 0, message: 'Ok' });
    },
  );

  it.each([
    ['503 with Retry-After', 'a lost connection', () => new DatabaseError('lost', 'gone'), 503, '2'],
    [
      '503 with Retry-After',
      'a busy gallery',
      () => new AppError('unavailable', '', { headers: { 'retry-after': '1' } }),
      503,
      '1',
    ],
    ['507', 'a full disk', () => new DatabaseError('full', 'full'), 507, undefined],
  ])('answers %s after %s', async (_reply, _cause, failure, status, retryAfter) => {
    const customer = await newCustomer(app);
    const before = await leftBehind();
    breakTransactions(3, failure);
    const reply = await customer.plainEnroll(faceOf(1));
    expect([reply.statusCode, reply.headers['retry-after']]).toEqual([status, retryAfter]);
    expect(reply.json()).toMatchObject({ status });
    expect(await leftBehind()).toEqual(before);
    expect((await customer.plainEnroll(faceOf(1))).json()).toMatchObject({ status: 0, message: 'Ok' });
  });
});

describe.skipIf(SKIPS_ENGINE_BLIND)('507', () => {
  it('refuses new people above NODE_MAX_EMBEDDINGS, knows the old ones, and recovers after a deletion', async () => {
    const full = await startTestApp({ environment: { SERVE: 'node', NODE_MAX_EMBEDDINGS: '2' } });
    const customer = await newCustomer(full);
    const { puid } = (await customer.plainEnroll(faceOf(1))).json();
    const tooMany = await customer.enroll([faceOf(2), pictureOf(faceOf(2), 0.1)]);
    expect(tooMany.statusCode).toBe(507);
    expect(tooMany.json()).toEqual({ status: 507, message: expect.stringMatching(/All 2 places for embeddings/) });
    expect((await customer.plainEnroll(faceOf(2))).json()).toMatchObject({ message: 'Ok' });
    expect((await customer.plainEnroll(faceOf(3))).statusCode).toBe(507);
    // Test and live keys are counted separately.
    const { apiKey } = await full.apiKeys.create({ kind: 'test', customerId: 'tries', clientCredentials: false });
    const inTest = createNodeClient(full, apiKey);
    for (const person of [4, 5]) expect((await inTest.plainEnroll(faceOf(person))).statusCode).toBe(200);
    expect((await inTest.plainEnroll(faceOf(6))).statusCode).toBe(507);
    expect((await customer.plainEnroll(faceOf(1))).json()).toMatchObject({ message: 'User Already Enrolled', puid });
    await customer.deleteUser(puid);
    expect((await customer.plainEnroll(faceOf(3))).json()).toMatchObject({ message: 'Ok' });
    // Concurrent requests do not exceed the limit.
    await customer.deleteUser((await customer.plainPredict(faceOf(3))).json().puid);
    const replies = await Promise.all([4, 5, 6, 7, 8].map((person) => customer.plainEnroll(faceOf(person))));
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, 507, 507, 507, 507]);
  });
});
