// Decisions of the key-holder, with real keys and tokens.
import { readFileSync } from 'node:fs';
import { verifyChallenge } from '@limen/token/device';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  adopt,
  ask,
  beginEnrollment,
  epochOf,
  evaluator,
  MODEL_VERSION,
  makeProbe,
  makeToken,
  randomVector,
  rowsOf,
  search,
  shapeOf,
  vectorNear,
} from '#testing/faces/faces.ts';
import { type LocalKeyHolder, openLocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { auditFile } from './audit/chain.ts';
import { ChallengeRefusedError, ThrottledError, UnknownEpochError } from './link/calls.ts';
import { auditName } from './outcomes.ts';

let holder: LocalKeyHolder;
const ada = randomVector();
const ben = randomVector();
let epoch: string;
let tokens: Uint8Array[];

beforeAll(async () => {
  holder = await openLocalKeyHolder();
  const made = [await makeToken(holder, ada), await makeToken(holder, ben)];
  epoch = made[0]!.epoch;
  tokens = made.map(({ token }) => token);
});
afterAll(() => holder.close());

const auditLines = () =>
  readFileSync(auditFile(holder.folder), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('keys and challenges', () => {
  it('returns the same enroll key for a customer each time, and another key for another customer', async () => {
    const other = await epochOf(holder, 'other');
    expect(other).toMatch(/^[\w-]{22}$/);
    expect(other).not.toBe(epoch);
    expect([await epochOf(holder), await epochOf(holder, 'other')]).toEqual([epoch, other]);
  });

  it('creates one key when two requests need the first concurrently', async () => {
    const enroll = (session: string) => makeToken(holder, randomVector(), { customer: 'twins', session });
    const made = await Promise.all([enroll('one'), enroll('two')]);
    expect(made[0].epoch).toBe(made[1].epoch);
  });

  it('signs the challenges it opens', async () => {
    const { challenge, publicKey, signature, identity, expiresAt } = await holder.openChallenge(ask('identify'));
    const terms = { challenge, purpose: 'identify', session: 'session', expiresAt, publicKey } as const;
    expect(expiresAt).toBe(holder.clock.now() + 60_000);
    expect(await verifyChallenge(identity, terms, signature)).toBe(true);
    expect(await verifyChallenge(identity, { ...terms, session: 'another' }, signature)).toBe(false);
  });

  it('starts a challenge once', async () => {
    const opened = await holder.openChallenge(ask('identify'));
    const shape = await shapeOf(await makeProbe(ada, opened));
    const about = { modelVersion: MODEL_VERSION };
    expect(await holder.begin(opened.challenge, about, shape)).toBe('ok');
    await expect(holder.begin(opened.challenge, about, shape)).rejects.toMatchObject({ reason: 'used' });
  });

  it('refuses every call on an expired challenge', async () => {
    const opened = await holder.openChallenge(ask('identify'));
    const shape = await shapeOf(await makeProbe(ada, opened));
    holder.clock.advance(60_000);
    const begun = holder.begin(opened.challenge, { modelVersion: MODEL_VERSION }, shape);
    await expect(begun).rejects.toMatchObject({ name: 'ChallengeRefusedError', reason: 'expired' });
    await expect(holder.finish(opened.challenge)).rejects.toMatchObject({ reason: 'unknown' });
  });

  it('measures the time of a challenge by a monotonic clock', async () => {
    let monotonic = 0;
    const local = await openLocalKeyHolder({ monotonic: () => monotonic });
    const opened = await local.openChallenge(ask('identify'));
    const shape = await shapeOf(await makeProbe(ada, opened));
    local.clock.advance(86_400_000);
    expect(await local.begin(opened.challenge, { modelVersion: MODEL_VERSION }, shape)).toBe('ok');
    local.clock.advance(-2 * 86_400_000);
    monotonic = 60_000;
    await expect(local.finish(opened.challenge)).rejects.toMatchObject({ reason: 'expired' });
    await local.close();
  });

  it('keeps one unstarted challenge per session', async () => {
    const first = await holder.openChallenge(ask('identify', { session: 'one' }));
    await holder.openChallenge(ask('identify', { session: 'one' }));
    await expect(holder.finish(first.challenge)).rejects.toBeInstanceOf(ChallengeRefusedError);
  });

  it('accepts no rows for an unstarted challenge', async () => {
    const opened = await holder.openChallenge(ask('identify', { session: 'early' }));
    const rows = rowsOf(tokens, await makeProbe(ada, opened));
    await expect(holder.rows(opened.challenge, epoch, rows)).rejects.toBeInstanceOf(ChallengeRefusedError);
  });
});

describe('an enrollment', () => {
  it("of a new person is adopted under the customer's key and found from then on", async () => {
    const face = randomVector();
    const begun = await beginEnrollment(holder, face);
    expect(begun.shape).toBe('ok');
    await holder.rows(begun.challenge, epoch, rowsOf(tokens, begun.probe));
    expect(await holder.finish(begun.challenge)).toEqual({ best: null });
    const adopted = await adopt(holder, begun);
    expect(adopted.epoch).toBe(epoch);
    await holder.settle(begun.challenge, 'somebody new');
    const found = await search(holder, vectorNear(face, 0.8), { epoch, tokens: [...tokens, adopted.token] });
    expect(found.best).toBe(2);
  });

  it('is adopted once', async () => {
    const begun = await beginEnrollment(holder, randomVector());
    await holder.finish(begun.challenge);
    await adopt(holder, begun);
    await expect(adopt(holder, begun)).rejects.toMatchObject({ name: 'ChallengeRefusedError', reason: 'used' });
  });

  it('is not adopted before the decision, nor while rows wait for one', async () => {
    const begun = await beginEnrollment(holder, randomVector());
    await expect(adopt(holder, begun)).rejects.toThrow('was compared');
    await holder.finish(begun.challenge);
    await holder.rows(begun.challenge, epoch, rowsOf(tokens, begun.probe));
    await expect(adopt(holder, begun)).rejects.toThrow('was compared');
    await holder.finish(begun.challenge);
    await expect(adopt(holder, begun)).resolves.toBeDefined();
  });

  it('of a known face is not adopted, even if it matched a late row', async () => {
    const adoptNothing = async ({ challenge, probe }: Awaited<ReturnType<typeof beginEnrollment>>) => {
      const { body } = await holder.adopt(challenge, evaluator().maskForRenewal(probe).masked);
      expect(Buffer.from(body)).toEqual(Buffer.alloc(body.length));
      expect(auditLines().at(-1)).toMatchObject({ outcome: 'not_adopted', challenge });
    };
    const known = await beginEnrollment(holder, vectorNear(ada, 0.9));
    await holder.rows(known.challenge, epoch, rowsOf(tokens, known.probe));
    expect(await holder.finish(known.challenge)).toEqual({ best: 0 });
    await adoptNothing(known);
    await expect(adopt(holder, known)).rejects.toMatchObject({ reason: 'used' });

    const late = await beginEnrollment(holder, vectorNear(ben, 0.9));
    await holder.finish(late.challenge);
    await holder.rows(late.challenge, epoch, rowsOf([tokens[1]!], late.probe));
    expect(await holder.finish(late.challenge)).toEqual({ best: 0 });
    await adoptNothing(late);
  });

  it('is not adopted after it expired or ended', async () => {
    const [late, settled] = [
      await beginEnrollment(holder, randomVector()),
      await beginEnrollment(holder, randomVector()),
    ];
    for (const { challenge } of [late, settled]) await holder.finish(challenge);
    await holder.settle(settled.challenge, null);
    await expect(adopt(holder, settled)).rejects.toMatchObject({ reason: 'unknown' });
    holder.clock.advance(60_000);
    await expect(adopt(holder, late)).rejects.toMatchObject({ reason: 'expired' });
  });

  it('that expires while its key is opened is not adopted, because its own key may be wiped', async () => {
    const clock = createManualClock();
    let hasBegun = false;
    let monotonic = 0;
    // The clock is read after the adoption has started.
    const now = () => {
      if (hasBegun) monotonic = 60_000;
      return clock.now();
    };
    const local = await openLocalKeyHolder({ clock: { ...clock, now }, monotonic: () => monotonic });
    onTestFinished(() => local.close());
    const begun = await beginEnrollment(local, randomVector());
    await local.finish(begun.challenge);
    hasBegun = true;
    await expect(adopt(local, begun)).rejects.toMatchObject({ reason: 'expired' });
  });

  it('is the only purpose that can be adopted, and only with a body', async () => {
    const { challenge } = await search(holder, ben, { epoch, tokens, address: 'new' });
    const { masked } = evaluator().maskForRenewal(tokens[0]!);
    await expect(holder.adopt(challenge, masked)).rejects.toThrow('was compared');
    const begun = await beginEnrollment(holder, randomVector());
    await holder.finish(begun.challenge);
    await expect(holder.adopt(begun.challenge, masked.subarray(1))).rejects.toThrow('another length');
  });

  it('finds an existing person, including late rows', async () => {
    const begun = await beginEnrollment(holder, vectorNear(ben, 0.9));
    await holder.rows(begun.challenge, epoch, rowsOf([tokens[0]!], begun.probe));
    expect(await holder.finish(begun.challenge)).toEqual({ best: null });
    await holder.rows(begun.challenge, epoch, rowsOf([tokens[1]!], begun.probe));
    expect(await holder.finish(begun.challenge)).toEqual({ best: 1 });
    expect(await holder.finish(begun.challenge)).toEqual({ best: 1 });
    await holder.settle(begun.challenge, 'ben');
    await expect(holder.finish(begun.challenge)).rejects.toMatchObject({ reason: 'unknown' });
  });

  it('takes the best match as the same person, however close the second is', async () => {
    const { token: twin } = await makeToken(holder, vectorNear(ben, 0.99));
    const begun = await beginEnrollment(holder, ben);
    await holder.rows(begun.challenge, epoch, rowsOf([tokens[0]!, tokens[1]!, twin], begun.probe));
    expect((await holder.finish(begun.challenge)).best).toBeGreaterThan(0);
  });

  it('is decided at most sixteen times; repeating an answer is no decision', async () => {
    const begun = await beginEnrollment(holder, randomVector());
    for (let time = 0; time < 16; time++) {
      for (let again = 0; again < 2; again++) expect(await holder.finish(begun.challenge)).toEqual({ best: null });
      await holder.rows(begun.challenge, epoch, rowsOf([tokens[0]!], begun.probe));
    }
    await expect(holder.finish(begun.challenge)).rejects.toMatchObject({
      name: 'ChallengeRefusedError',
      reason: 'used',
    });
  });

  it('accepts at most 256 rows after its first answer', async () => {
    const begun = await beginEnrollment(holder, randomVector());
    await holder.finish(begun.challenge);
    const { bytes } = rowsOf([tokens[0]!], begun.probe);
    const rows = (count: number) => ({ count, bytes: Buffer.concat(Array.from({ length: count }, () => bytes)) });
    await expect(holder.rows(begun.challenge, epoch, rows(257))).rejects.toThrow('too many');
    await holder.rows(begun.challenge, epoch, rows(256));
    await expect(holder.rows(begun.challenge, epoch, rows(1))).rejects.toThrow('too many');
  });
});

describe('a search', () => {
  const among = (more: object = {}) => ({ epoch, tokens, address: 'known', ...more });

  it('returns the row above the threshold', async () => {
    expect(await search(holder, vectorNear(ben, 0.8), among())).toMatchObject({ shape: 'ok', best: 1 });
  });

  it('returns no one below the threshold', async () => {
    expect((await search(holder, vectorNear(ben, 0.44), among())).best).toBeNull();
    expect((await search(holder, vectorNear(ben, 0.52), among())).best).toBe(1);
  });

  it('returns no one for a sign-in if the second best is too close', async () => {
    const { token: twin } = await makeToken(holder, vectorNear(ben, 0.99));
    expect((await search(holder, ben, among({ tokens: [tokens[1]!, twin] }))).best).toBeNull();
  });

  it('requires no distance to the second when verifying one person', async () => {
    const { token: twin } = await makeToken(holder, vectorNear(ben, 0.99));
    const found = await search(holder, ben, among({ tokens: [tokens[1]!, twin], person: 'ben' }));
    expect(found.best).not.toBeNull();
  });

  it('numbers rows across calls, in call order', async () => {
    const opened = await holder.openChallenge(ask('identify', { address: 'known' }));
    const probe = await makeProbe(ben, opened);
    const { challenge } = opened;
    await holder.begin(challenge, { modelVersion: MODEL_VERSION }, await shapeOf(probe));
    const [ofAda, ofBen] = [rowsOf([tokens[0]!], probe), rowsOf([tokens[1]!], probe)];
    // The first call has to open a key; the others find it open.
    const calls = [ofAda, ofAda, ofBen, ofAda].map((rows) => holder.rows(challenge, epoch, rows));
    await Promise.all(calls);
    expect(await holder.finish(challenge)).toEqual({ best: 2 });
  });

  it('answers once', async () => {
    const { challenge } = await search(holder, ben, among());
    await expect(holder.finish(challenge)).rejects.toMatchObject({ reason: 'used' });
  });

  it("does not open rows with another customer's key", async () => {
    const searched = search(holder, ben, { ...among(), epoch: await epochOf(holder, 'other') });
    await expect(searched).rejects.toBeInstanceOf(UnknownEpochError);
  });

  it('refuses bytes that are not whole rows', async () => {
    const opened = await holder.openChallenge(ask('identify', { address: 'known' }));
    const probe = await makeProbe(ben, opened);
    await holder.begin(opened.challenge, { modelVersion: MODEL_VERSION }, await shapeOf(probe));
    const { bytes } = rowsOf(tokens, probe);
    const short = holder.rows(opened.challenge, epoch, { count: 2, bytes: bytes.subarray(1) });
    await expect(short).rejects.toThrow('no whole rows');
  });

  it("reports a shape of another length as the service's fault, without using up the challenge", async () => {
    const opened = await holder.openChallenge(ask('identify'));
    const [about, shape] = [{ modelVersion: MODEL_VERSION }, await shapeOf(await makeProbe(ada, opened))];
    const short = holder.begin(opened.challenge, about, { bytes: shape.bytes.subarray(1) });
    await expect(short).rejects.toThrow('another length');
    expect(await holder.begin(opened.challenge, about, shape)).toBe('ok');
  });

  it('treats a stored token in place of a probe as malformed', async () => {
    const opened = await holder.openChallenge(ask('identify', { address: 'thief' }));
    const about = { modelVersion: MODEL_VERSION };
    expect(await holder.begin(opened.challenge, about, await shapeOf(tokens[1]!))).toBe('malformed');
    await expect(holder.finish(opened.challenge)).rejects.toBeInstanceOf(ChallengeRefusedError);
  });
});

describe('the answer budget', () => {
  it('is hourly per customer; exhaustion is reported to the operator and audited', async () => {
    const local = await openLocalKeyHolder({ budgets: { sign_in: 4 } });
    onTestFinished(() => local.close());
    const { epoch: ofLocal, token } = await makeToken(local, ada);
    const among = { epoch: ofLocal, tokens: [token] };
    await search(local, ada, among);
    expect(local.warnings).toEqual([]);
    const waiting = await local.openChallenge(ask('identify', { session: 'waiting' }));
    const probe = await makeProbe(ada, waiting);
    await local.begin(waiting.challenge, { modelVersion: MODEL_VERSION }, await shapeOf(probe));
    for (const address of ['another', 'a third']) await search(local, ada, { ...among, address });
    // A quarter is reserved for those who presented more than a face.
    await expect(local.openChallenge(ask('identify', { address: 'a fourth' }))).rejects.toBeInstanceOf(ThrottledError);
    const vouched = { device: 'd', person: 'p' };
    await search(local, ada, { ...among, vouched });
    expect(local.warnings).toEqual([
      expect.stringContaining('acme has had 2 answers to sign-ins'),
      expect.stringContaining('strangers and new people have had all 3 answers'),
      expect.stringContaining('all 4 answers to sign-ins'),
      expect.stringContaining('known devices of one person have had all 1'),
      expect.stringContaining('known devices at one address have had all 1'),
    ]);
    const spent = { customer: 'acme', outcome: 'answers_spent', answers: 4 };
    expect(readFileSync(auditFile(local.folder), 'utf8')).toContain(JSON.stringify(spent).slice(1, -1));
    await expect(local.openChallenge(ask('identify', { vouched }))).rejects.toBeInstanceOf(ThrottledError);
    await expect(local.finish(waiting.challenge)).rejects.toMatchObject({ name: 'ThrottledError', retryAfter: 3_600 });
    await expect(local.openChallenge(ask('identify', { customer: 'other' }))).resolves.toBeDefined();
    // Enrollments have their own budget.
    await expect(local.openChallenge(ask('enrol'))).resolves.toBeDefined();
    local.clock.advance(3_600_000);
    expect((await search(local, ada, among)).best).toBe(0);
  });
});

describe('the audit', () => {
  it('has a line per decision, without scores', async () => {
    const sessionHandle = 'handle of the session';
    const { challenge } = await search(holder, ben, { epoch, tokens, address: 'known', sessionHandle });
    await holder.settle(challenge, 'handle of ben');
    const [decided, settled] = auditLines().slice(-2);
    expect(decided).toEqual({
      time: expect.any(String),
      customer: 'acme',
      purpose: 'identify',
      session: auditName(sessionHandle, challenge),
      challenge,
      outcome: 'match',
      rows: 2,
      previous: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(settled).toMatchObject({ outcome: 'settled', challenge, person: auditName('handle of ben', challenge) });
    await epochOf(holder);
    const adopted = auditLines().find(({ outcome }) => outcome === 'adopted');
    expect(adopted).toMatchObject({ customer: 'acme', purpose: 'enrol', challenge: expect.any(String), epoch });
    const keys = new Set(auditLines().flatMap((line) => Object.keys(line)));
    const known = ['time', 'customer', 'purpose', 'session', 'challenge', 'outcome', 'rows', 'previous'];
    expect([...keys].sort()).toEqual([...known, 'person', 'epoch'].sort());
  });
});
