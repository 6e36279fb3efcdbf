// Throttles against whoever has an account, many addresses, a new key for each session, or many sessions at once.
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PersonLocked, Throttled } from '../../core/keyholder/keyholder.ts';
import { auditFile } from '../audit/audit-chain.ts';
import {
  adopt,
  ask,
  beginEnrolment,
  MODEL_VERSION,
  makeProbe,
  makeToken,
  randomVector,
  rowsOf,
  search,
  shapeOf,
} from '../testing/faces.ts';
import { type LocalKeyHolder, openLocalKeyHolder } from '../testing/local-key-holder.ts';
import { shareOut, THROTTLE_RULES, type ThrottleRules } from './throttle-rules.ts';

const ada = randomVector();
const mallory = randomVector();
const stranger = randomVector();
const small = { refusals: 2, withinMs: 60_000, atOnce: 10, forgivable: 1 };
const large = { ...small, refusals: 1_000, atOnce: 1_000 };
const LARGE = Object.fromEntries(Object.keys(THROTTLE_RULES).map((scope) => [scope, large])) as ThrottleRules;
const vouched = { device: 'handle of a device', person: 'handle of mallory' };

let holder: LocalKeyHolder;
let among: { epoch: string; tokens: Uint8Array[] };

/** With ada and mallory enrolled, in this order. */
async function openWith(options: Parameters<typeof openLocalKeyHolder>[0] = {}): Promise<void> {
  holder = await openLocalKeyHolder(options);
  const opened = holder;
  onTestFinished(() => opened.close());
  const made = [await makeToken(holder, ada), await makeToken(holder, mallory)];
  among = { epoch: made[0]!.epoch, tokens: made.map(({ token }) => token) };
}

const withRules = (some: Partial<ThrottleRules>) => openWith({ rules: { ...LARGE, ...some } });

/** A sign-in to its end: whether somebody was found. */
async function signIn(vector: Float32Array, person: string, more: object = {}): Promise<'found' | 'nobody'> {
  const { challenge, best } = await search(holder, vector, { ...among, ...more });
  if (best === null) return 'nobody';
  return (await holder.settle(challenge, person)) === 'settled' ? 'found' : 'nobody';
}

const verify = (vector: Float32Array, more: object = {}) =>
  search(holder, vector, { ...among, person: 'handle of ada', ...more });

/** How often it is refused before it is throttled. */
async function countUntilThrottled(attempt: (nth: number) => Promise<unknown>): Promise<number> {
  for (let times = 0; times < 100; times++) {
    try {
      await attempt(times);
    } catch (error) {
      if (error instanceof Throttled) return times;
      throw error;
    }
  }
  throw new Error('it was never throttled');
}

describe('somebody with an account of their own', () => {
  it('gets no more guesses from an address by signing in as themselves in between', async () => {
    await openWith();
    const guesses = await countUntilThrottled(async (nth) => {
      expect(await signIn(stranger, '', { session: `s${nth}` })).toBe('nobody');
      if (nth % 5 === 4 && nth < 19) expect(await signIn(mallory, 'handle of mallory')).toBe('found');
    });
    expect(guesses).toBe(20);
  });

  it('gets 13 guesses at a person in an hour and not one more, with successes for them in between', async () => {
    await openWith();
    let refused = 0;
    await countUntilThrottled(async (nth) => {
      // From another address each time.
      await verify(stranger, { address: `address ${nth}` });
      refused += 1;
      if (nth % 2 === 0) await verify(ada, { address: `address ${nth}` }).catch(() => undefined);
    });
    expect(refused).toBe(THROTTLE_RULES.person.refusals + THROTTLE_RULES.person.forgivable);
  });

  it('is counted for as the one who vouched, on all their devices', async () => {
    await withRules({ voucher: small });
    for (const device of ['one', 'two']) {
      await signIn(stranger, '', { address: device, vouched: { ...vouched, device } });
    }
    const third = ask('identify', { address: 'three', vouched: { ...vouched, device: 'three' } });
    await expect(holder.openChallenge(third)).rejects.toMatchObject({ name: 'Throttled', retryAfter: 60 });
    const another = { ...vouched, person: 'handle of ben' };
    await expect(holder.openChallenge(ask('identify', { vouched: another }))).resolves.toBeDefined();
  });

  it.each(['address', 'customer'] as const)(
    'is counted for at the %s too, where strangers wait then',
    async (scope) => {
      await withRules({ [scope]: small });
      for (let time = 0; time < 2; time++) await signIn(stranger, '', { vouched });
      await expect(holder.openChallenge(ask('identify'))).rejects.toBeInstanceOf(Throttled);
      expect(await signIn(mallory, 'handle of mallory', { vouched })).toBe('found');
    },
  );

  it.each(['device', 'vouched_address', 'vouched_customer'] as const)('waits too, by %s', async (scope) => {
    await withRules({ [scope]: small });
    for (let time = 0; time < 2; time++) await signIn(stranger, '', { vouched });
    await expect(holder.openChallenge(ask('identify', { vouched }))).rejects.toBeInstanceOf(Throttled);
    await expect(holder.openChallenge(ask('identify'))).resolves.toBeDefined();
  });
});

describe('people who were made up just now', () => {
  it('lock nobody at the customer who was there before', async () => {
    await withRules({ vouched_customer: small });
    for (let nth = 0; nth < 3; nth++) {
      const madeUp = { device: `device ${nth}`, person: `made up ${nth}`, isNew: true };
      await signIn(stranger, '', { address: `address ${nth}`, vouched: madeUp });
    }
    expect(await signIn(mallory, 'handle of mallory', { vouched })).toBe('found');
  });
});

describe('strangers', () => {
  it('have no budget of their own for each session: its key is not looked at', async () => {
    await withRules({ address: small });
    for (const session of ['one', 'two']) await signIn(stranger, '', { session });
    await expect(holder.openChallenge(ask('identify', { session: 'three' }))).rejects.toBeInstanceOf(Throttled);
    await expect(holder.openChallenge(ask('identify', { address: 'another' }))).resolves.toBeDefined();
  });

  it('from many addresses are stopped at the customer, and not at another', async () => {
    await withRules({ customer: small });
    for (const address of ['one', 'two']) await signIn(stranger, '', { address });
    await expect(holder.openChallenge(ask('identify', { address: 'three' }))).rejects.toBeInstanceOf(Throttled);
    await expect(holder.openChallenge(ask('identify', { customer: 'another' }))).resolves.toBeDefined();
  });

  it('in many sessions at once have no more guesses than one after the other', async () => {
    await withRules({ address: { ...small, refusals: 3 } });
    const opened = await Promise.all(
      Array.from({ length: 8 }, (_, nth) => holder.openChallenge(ask('identify', { session: `s${nth}` }))),
    );
    const begun = await Promise.allSettled(
      opened.map(async (challenge) => {
        const shape = await shapeOf(await makeProbe(stranger, challenge));
        return holder.begin(challenge.challenge, { modelVersion: MODEL_VERSION }, shape);
      }),
    );
    expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });

  it('are refused by a search that nobody settled', async () => {
    await withRules({ address: small });
    for (let time = 0; time < 2; time++) {
      const opened = await holder.openChallenge(ask('identify', { session: `s${time}` }));
      const shape = await shapeOf(await makeProbe(stranger, opened));
      await holder.begin(opened.challenge, { modelVersion: MODEL_VERSION }, shape);
      expect(await holder.finish(opened.challenge)).toEqual({ best: null });
    }
    holder.clock.advance(60_000);
    await expect(holder.openChallenge(ask('identify'))).resolves.toBeDefined(); // which sweeps
    await expect(holder.openChallenge(ask('identify'))).rejects.toBeInstanceOf(Throttled);
  });

  it('who send what is no face are counted', async () => {
    await withRules({ address: small });
    for (let time = 0; time < 2; time++) {
      const { challenge } = await holder.openChallenge(ask('identify'));
      const probe = { bytes: new Uint8Array(10) };
      expect(await holder.begin(challenge, { modelVersion: MODEL_VERSION }, probe)).toBe('malformed');
    }
    await expect(holder.openChallenge(ask('identify'))).rejects.toBeInstanceOf(Throttled);
  });
});

describe('a person who is locked', () => {
  const lines = () => readFileSync(auditFile(holder.folder), 'utf8').trimEnd().split('\n');
  const shapeOfLines = (some: string[]) => some.map((line) => Object.keys(JSON.parse(line) as object).length);

  async function lockAda(): Promise<void> {
    await withRules({ person: small });
    for (let time = 0; time < 2; time++) await verify(stranger);
  }

  it('is not told from a stranger by a sign-in: same answer, same counts, as many lines', async () => {
    await lockAda();
    const outcomes: unknown[] = [];
    for (const vector of [ada, stranger]) {
      const before = lines().length;
      const outcome = await signIn(vector, 'handle of ada', { address: 'thief' });
      outcomes.push([outcome, lines().length - before]);
    }
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(outcomes[0]).toEqual(['nobody', 2]);
    const settled = lines()
      .filter((line) => line.includes('"locked"'))
      .map((line) => JSON.parse(line) as object);
    expect(settled).toHaveLength(1);
  });

  it('counts as refused at the address like a stranger', async () => {
    await withRules({ person: small, address: { ...large, refusals: 4 } });
    for (let time = 0; time < 2; time++) await verify(stranger, { address: 'elsewhere' });
    for (const vector of [ada, stranger, ada, stranger]) await signIn(vector, 'handle of ada');
    await expect(holder.openChallenge(ask('identify'))).rejects.toBeInstanceOf(Throttled);
  });

  it('is verified in full whosever face it is, and then told to wait; the challenge is used up', async () => {
    await lockAda();
    const seen: unknown[] = [];
    for (const vector of [ada, stranger]) {
      const before = lines().length;
      const opened = await holder.openChallenge(ask('verify', { address: 'thief' }));
      const probe = await makeProbe(vector, opened);
      const about = { modelVersion: MODEL_VERSION, person: 'handle of ada' };
      expect(await holder.begin(opened.challenge, about, await shapeOf(probe))).toBe('ok');
      await holder.rows(opened.challenge, among.epoch, rowsOf([among.tokens[0]!], probe));
      const refusal = await holder.finish(opened.challenge).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(PersonLocked);
      await expect(holder.finish(opened.challenge)).rejects.toMatchObject({ reason: 'used' });
      seen.push([(refusal as PersonLocked).retryAfter, shapeOfLines(lines().slice(before))]);
    }
    expect(seen[0]).toEqual(seen[1]);
  });

  it('is not locked for longer by what comes meanwhile', async () => {
    await lockAda();
    for (const vector of [ada, stranger, ada]) await verify(vector).catch(() => undefined);
    holder.clock.advance(60_000);
    expect((await verify(ada)).best).not.toBeNull();
  });

  it('is not kept out by strangers on a device or with a passkey of their own, however many are under way', async () => {
    await lockAda();
    const own = { address: 'at home', vouched: { device: 'device of ada', person: 'handle of ada' } };
    const opened = await holder.openChallenge(ask('verify', { session: 'left open' }));
    const shape = await shapeOf(await makeProbe(stranger, opened));
    await holder.begin(opened.challenge, { modelVersion: MODEL_VERSION, person: 'handle of ada' }, shape);
    expect((await verify(ada, own)).best).not.toBeNull();
    expect(await signIn(ada, 'handle of ada', own)).toBe('found');
    // Not for whoever else has a device of their own.
    expect(await signIn(ada, 'handle of ada', { vouched })).toBe('nobody');
    holder.clock.advance(1_000);
    await holder.settle(opened.challenge, null);
    await expect(verify(ada, { vouched })).rejects.toBeInstanceOf(PersonLocked);
  });

  it('is still held as voucher and by their device', async () => {
    await withRules({ device: small });
    const own = { vouched: { device: 'device of ada', person: 'handle of ada' } };
    for (let time = 0; time < 2; time++) await verify(stranger, own);
    await expect(holder.openChallenge(ask('verify', own))).rejects.toBeInstanceOf(Throttled);
  });

  it('is not told from a stranger, nor from anybody who is not locked, by an enrolment', async () => {
    await lockAda();
    const shape: unknown[] = [];
    for (const [vector, name] of [
      [ada, 'handle of ada'],
      [mallory, 'handle of mallory'],
    ] as const) {
      const before = lines().length;
      const { challenge, probe } = await beginEnrolment(holder, vector);
      await holder.rows(challenge, among.epoch, rowsOf(among.tokens, probe));
      expect((await holder.finish(challenge)).best).not.toBeNull();
      expect(await holder.settle(challenge, name)).toBe('settled');
      shape.push(
        lines()
          .slice(before)
          .map((line) => (JSON.parse(line) as { outcome: string }).outcome),
      );
    }
    expect(shape[0]).toEqual(shape[1]);
    await expect(verify(ada)).rejects.toBeInstanceOf(PersonLocked);
  });
});

describe('answers to sign-ins', () => {
  const ofAda = { device: 'device of ada', person: 'handle of ada' };

  it('that one address has used up, however honestly, leave those of other addresses and of known devices there', async () => {
    await openWith({ budgets: { sign_in_address: 3 } });
    for (let time = 0; time < 3; time++) expect(await signIn(mallory, 'handle of mallory')).toBe('found');
    const refused = await holder.openChallenge(ask('identify')).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'Throttled', retryAfter: 3_600 });
    expect(holder.warnings).toEqual([expect.stringContaining('one address has had all 3 answers')]);
    expect(await signIn(ada, 'handle of ada', { address: 'another' })).toBe('found');
    for (let time = 0; time < 6; time++) {
      expect(await signIn(ada, 'handle of ada', { vouched: ofAda })).toBe('found');
    }
    await expect(holder.openChallenge(ask('identify', { vouched: ofAda }))).rejects.toBeInstanceOf(Throttled);
    await expect(holder.openChallenge(ask('enrol'))).resolves.toBeDefined();
  });

  it('that one person has used up through ever other addresses look like a stranger’s, and wait when verified', async () => {
    await openWith({ budgets: { sign_in_person: 3 } });
    for (let time = 0; time < 2; time++) {
      expect(await signIn(ada, 'handle of ada', { address: `address ${time}` })).toBe('found');
    }
    expect((await verify(ada)).best).not.toBeNull();
    expect(await signIn(ada, 'handle of ada', { address: 'fourth' })).toBe('nobody');
    for (const vector of [ada, stranger]) {
      await expect(verify(vector)).rejects.toMatchObject({ name: 'PersonLocked', retryAfter: 3_600 });
    }
    expect(await signIn(mallory, 'handle of mallory')).toBe('found');
    // What others use up with a photo of hers does not keep her own device out.
    for (let time = 0; time < 3; time++) {
      expect(await signIn(ada, 'handle of ada', { vouched: ofAda })).toBe('found');
    }
    await expect(holder.openChallenge(ask('identify', { vouched: ofAda }))).rejects.toBeInstanceOf(Throttled);
    holder.clock.advance(3_600_000);
    expect(await signIn(ada, 'handle of ada')).toBe('found');
  });

  it('that many made-up people have used up at few addresses leave some to whoever was there before', async () => {
    await openWith({ budgets: { sign_in: 16 } }); // 12 of them strangers', 4 of one person, 2 through an address of known devices
    const devicesOf = (count: number, more: object) =>
      Array.from({ length: count }, (_, nth) => ({
        address: `office ${Math.floor(nth / 2)}`,
        vouched: { device: `device ${nth}`, person: `made up ${nth}`, ...more },
      }));
    const matched = async (attempts: ReturnType<typeof devicesOf>) => {
      let times = 0;
      for (const attempt of attempts) {
        const outcome = await signIn(mallory, attempt.vouched.person, attempt).catch((error: Error) => error.name);
        if (outcome === 'found') times += 1;
      }
      return times;
    };
    expect(await matched(devicesOf(20, { isNew: true }))).toBe(12);
    // Nor do those who waited a day take the rest through one address.
    const atOne = devicesOf(8, {}).map((attempt) => ({ ...attempt, address: 'one office' }));
    expect(await matched(atOne)).toBe(2);
    for (let time = 0; time < 2; time++) {
      expect(await signIn(ada, 'handle of ada', { address: 'at home', vouched: ofAda })).toBe('found');
    }
  });

  it('about one person or through one address are never most of a customer’s, whatever the settings', () => {
    const set = { sign_in: 60, sign_in_address: 600, sign_in_person: 120, enrol: 30, enrol_address: 30 };
    expect(shareOut(set)).toEqual({
      ...set,
      sign_in_strangers: 45,
      sign_in_address: 30,
      sign_in_vouched_address: 8,
      sign_in_person: 15,
      sign_in_voucher: 15,
    });
  });
});

describe('enrolments', () => {
  /** Among the people who are there, to its answer. */
  async function enrolAmong(vector: Float32Array, more: object = {}) {
    const { challenge, probe } = await beginEnrolment(holder, vector, more);
    await holder.rows(challenge, among.epoch, rowsOf(among.tokens, probe));
    return { challenge, ...(await holder.finish(challenge)) };
  }

  it('of one address are so many in an hour, whatever becomes of them; another address has its own', async () => {
    await openWith({ budgets: { enrol_address: 5 } }); // two of them for ada and mallory
    for (let time = 0; time < 3; time++) await enrolAmong(randomVector(), { session: `s${time}` });
    const refused = await holder.openChallenge(ask('enrol')).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'Throttled', retryAfter: 3_600 });
    expect(holder.warnings).toEqual([expect.stringContaining('one address has had all 5 enrolments')]);
    await expect(holder.openChallenge(ask('enrol', { address: 'another' }))).resolves.toBeDefined();
    await expect(holder.openChallenge(ask('identify'))).resolves.toBeDefined();
  });

  it('that use up their answers leave those of sign-ins alone, and the other way round', async () => {
    await openWith({ budgets: { enrol: 3, sign_in: 2 } });
    await enrolAmong(randomVector());
    await expect(holder.openChallenge(ask('enrol', { address: 'another' }))).rejects.toBeInstanceOf(Throttled);
    const spent = { customer: 'acme', outcome: 'answers_spent', answers: 3, purpose: 'enrol' };
    expect(readFileSync(auditFile(holder.folder), 'utf8')).toContain(JSON.stringify(spent).slice(1, -1));
    expect(await signIn(mallory, 'handle of mallory', { address: 'one' })).toBe('found');
    expect(await signIn(ada, 'handle of ada', { address: 'two' })).toBe('found');
    await expect(holder.openChallenge(ask('identify'))).rejects.toBeInstanceOf(Throttled);
  });

  it('tell nobody at their address whether the face is enrolled, by what is counted for them', async () => {
    await withRules({ address: { ...small, refusals: 3 } });
    const after: unknown[] = [];
    for (const [address, vector] of [
      ['one', ada],
      ['two', randomVector()],
    ] as const) {
      // One refusal short of the lock, so that a further one would show.
      for (let time = 0; time < 2; time++) await signIn(stranger, '', { address });
      const { challenge, probe } = await beginEnrolment(holder, vector, { address });
      await holder.finish(challenge);
      for (let time = 0; time < 2; time++) {
        await holder.rows(challenge, among.epoch, rowsOf(among.tokens, probe));
        await holder.finish(challenge);
      }
      await holder.settle(challenge, 'handle of somebody');
      after.push(await holder.openChallenge(ask('enrol', { address })).then(() => 'ready'));
      expect(await signIn(ada, 'handle of ada', { address })).toBe('found');
    }
    expect(after).toEqual(['ready', 'ready']);
  });

  it('forgive nobody, and are not refused for finding nobody', async () => {
    await withRules({ address: small, person: { ...small, forgivable: 9 } });
    for (let time = 0; time < 3; time++) await enrolAmong(randomVector(), { session: `s${time}` });
    await verify(stranger, { address: 'one' });
    await holder.settle((await enrolAmong(ada)).challenge, 'handle of ada');
    await verify(stranger, { address: 'two' });
    await expect(verify(ada, { address: 'three' })).rejects.toBeInstanceOf(PersonLocked);
  });

  it('of somebody new are still adopted', async () => {
    await openWith();
    const begun = await beginEnrolment(holder, randomVector());
    await holder.finish(begun.challenge);
    await expect(adopt(holder, begun)).resolves.toBeDefined();
  });
});
