// Passkeys from registration to sign-in, and every answer that must be refused.
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { type Authenticator, createAuthenticator } from '#testing/authenticator.ts';
import { openTestStorage } from '#testing/database/open-test-storage.ts';
import { insertPerson } from '#testing/database/person-rows.ts';
import { liveOwner, testOwner } from '#testing/owners.ts';
import { named, type PersonId } from '../../platform/base/ids.ts';
import { createCeremony } from '../../platform/webauthn/ceremony.ts';
import { findRelyingParty } from '../../platform/webauthn/relying-party.ts';
import type { VouchingLevel } from '../tables.ts';
import { type PasskeyBinding, Passkeys } from './passkeys.ts';

const ORIGIN = 'https://check.example';
/** Site that may frame the session's page. */
const SHOP = 'https://shop.example';
const OWNER = liveOwner('acme');
const OTHERS = [liveOwner('another'), testOwner('acme')];
const ENROLLMENT: PasskeyBinding = { sessionId: 'session-1', nonce: 'nonce-1', attempt: 1 };
const SIGN_IN: PasskeyBinding = { sessionId: 'session-2', nonce: 'nonce-2', attempt: 1 };

async function open() {
  const { clock, ids, database, sealer } = await openTestStorage();
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const unset = { PASSKEY_RP_ID: undefined, PASSKEY_ORIGIN: undefined };
  const relyingParty = () => findRelyingParty(unset, new URL(`${ORIGIN}/launch`));
  const passkeys = new Passkeys({ database, sealer, clock, log }, createCeremony(relyingParty), async (sessionId) =>
    sessionId === SIGN_IN.sessionId ? [SHOP] : [],
  );

  async function register(personId: PersonId, authenticator: Authenticator, vouched: VouchingLevel = 0) {
    const options = await passkeys.registrationOptions(ENROLLMENT, { personId, requester: null });
    const made = await passkeys.verifyRegistration(ENROLLMENT, personId, authenticator.create(options));
    return database.transact((trx) => passkeys.add(trx, { owner: OWNER, personId }, made!, vouched));
  }

  const personId = await insertPerson({ database, sealer, ids }, OWNER);
  return { database, ids, sealer, clock, passkeys, register, personId, logged: () => lines.join('') };
}

/** A person with a passkey on an authenticator with a counter. */
async function openRegistered(counts = true) {
  const opened = await open();
  const authenticator = createAuthenticator(ORIGIN, { counts });
  expect(await opened.register(opened.personId, authenticator)).toBe(true);
  return { ...opened, authenticator };
}

describe('registration', () => {
  it('requests a resident key with user verification, no attestation and no personal data', async () => {
    const { passkeys, personId } = await open();
    const options = await passkeys.registrationOptions(ENROLLMENT, { personId, requester: 'Wine shop' });
    expect(options).toMatchObject({
      rp: { id: 'check.example' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    });
    expect(JSON.stringify(options)).not.toContain(personId);
    expect([options.rp.name, options.user.name, options.user.displayName]).toEqual(
      Array(3).fill('Face sign-in, Wine shop'),
    );
  });

  it('uses a new user handle each time, so that it reveals no enrollment', async () => {
    const { passkeys, personId } = await open();
    const subject = { personId, requester: null };
    const ids = [1, 2].map(async (attempt) => {
      return (await passkeys.registrationOptions({ ...ENROLLMENT, attempt }, subject)).user;
    });
    const [first, second] = await Promise.all(ids);
    expect(first?.name).toBe('Face sign-in');
    expect(first?.id).not.toBe(second?.id);
  });

  it('is valid only for the person it was made for', async () => {
    const { passkeys, personId } = await open();
    const options = await passkeys.registrationOptions(ENROLLMENT, { personId, requester: null });
    const answer = createAuthenticator(ORIGIN).create(options);
    expect(await passkeys.verifyRegistration(ENROLLMENT, named('somebody-else'), answer)).toBeUndefined();
    expect(await passkeys.verifyRegistration(ENROLLMENT, personId, answer)).toBeDefined();
  });

  it('is vouched for when or after it is stored, for this person only', async () => {
    const { database, ids, sealer, passkeys, personId } = await open();
    const other = await insertPerson({ database, sealer, ids }, OWNER);
    const made = { publicKey: 'AA', counter: 0, transports: [] };
    const judged = await database.transact(async (trx) => {
      const holder = { owner: OWNER, personId };
      await passkeys.add(trx, holder, { ...made, credentialId: 'vouched' }, 1);
      await passkeys.add(trx, holder, { ...made, credentialId: 'not' }, 0);
      const voucherOf = (credentialId: string, person = personId) => passkeys.voucherOf(trx, person, credentialId);
      const before = [await voucherOf('vouched'), await voucherOf('vouched', other), await voucherOf('not')];
      await passkeys.vouch(trx, other, 'not', 1);
      const others = await voucherOf('not');
      await passkeys.vouch(trx, personId, 'not', 1);
      return [...before, others, await voucherOf('not')];
    });
    expect(judged).toEqual([1, 0, 0, 0, 1]);
  });

  it('creates a passkey that signs in, even with a counter of zero', async () => {
    for (const counts of [true, false]) {
      const { passkeys, personId, authenticator } = await openRegistered(counts);
      for (const attempt of [1, 2]) {
        const binding = { ...SIGN_IN, attempt };
        const answer = authenticator.get(await passkeys.assertionOptions(binding));
        expect(await passkeys.verifyAssertion(binding, OWNER, answer)).toMatchObject({ personId });
      }
    }
  });

  it.each([
    ['from another origin', { origin: 'https://evil.example' }],
    ['for another RP id', { rpId: 'evil.example' }],
    ['without user verification', { userVerified: false }],
    ['to another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
  ])('refuses an answer %s', async (_, wrong) => {
    const { passkeys, personId } = await open();
    const options = await passkeys.registrationOptions(ENROLLMENT, { personId, requester: 'Wine shop' });
    const answer = createAuthenticator(ORIGIN).create(options, wrong);
    expect(await passkeys.verifyRegistration(ENROLLMENT, personId, answer)).toBeUndefined();
  });

  it('refuses an answer of another session, plan or attempt, or to a sign-in', async () => {
    const { passkeys, personId } = await open();
    const owner = { personId, requester: null };
    const answer = createAuthenticator(ORIGIN).create(await passkeys.registrationOptions(ENROLLMENT, owner));
    for (const other of [{ sessionId: 'x' }, { nonce: 'x' }, { attempt: 2 }]) {
      expect(await passkeys.verifyRegistration({ ...ENROLLMENT, ...other }, personId, answer)).toBeUndefined();
    }
    const { challenge } = await passkeys.assertionOptions(ENROLLMENT);
    const options = await passkeys.registrationOptions(ENROLLMENT, owner);
    const crossed = createAuthenticator(ORIGIN).create({ ...options, challenge });
    expect(await passkeys.verifyRegistration(ENROLLMENT, personId, crossed)).toBeUndefined();
  });

  it('does not store a credential that exists', async () => {
    const { database, ids, sealer, passkeys, personId, register } = await open();
    const authenticator = createAuthenticator(ORIGIN);
    const options = await passkeys.registrationOptions(ENROLLMENT, { personId, requester: 'Wine shop' });
    const made = (await passkeys.verifyRegistration(ENROLLMENT, personId, authenticator.create(options)))!;
    await database.transact((trx) => passkeys.add(trx, { owner: OWNER, personId }, made, 0));
    const other = await insertPerson({ database, sealer, ids }, OWNER);
    const add = database.transact((trx) => passkeys.add(trx, { owner: OWNER, personId: other }, made, 0));
    expect(await add).toBe(false);
    expect(await register(other, createAuthenticator(ORIGIN))).toBe(true);
  });

  it('keeps the twenty most recently used vouched ones, whatever a photograph has bound since', async () => {
    const { database, clock, personId, register } = await open();
    const add = async (times: number, vouched: VouchingLevel) => {
      for (let nth = 0; nth < times; nth++) {
        clock.advance(1);
        await register(personId, createAuthenticator(ORIGIN), vouched);
      }
    };
    const kept = async (vouched: VouchingLevel) => {
      const rows = await database.queries
        .selectFrom('passkeys')
        .select('created_at')
        .where('vouched', '=', vouched)
        .execute();
      return rows.map(({ created_at }) => clock.now() - created_at).sort((one, other) => one - other);
    };
    await add(1, 1);
    await add(21, 0);
    expect([await kept(1), await kept(0)]).toEqual([[21], [0, 1, 2]]);
    await add(20, 1);
    expect([await kept(1), await kept(0)]).toEqual([[...Array(20).keys()], [20, 21, 22]]);
  });
});

describe('a sign-in', () => {
  it('is accepted in a frame of an allowed site', async () => {
    const { passkeys, authenticator, personId } = await openRegistered();
    const answer = authenticator.get(await passkeys.assertionOptions(SIGN_IN), { topOrigin: SHOP });
    expect(await passkeys.verifyAssertion(SIGN_IN, OWNER, answer)).toMatchObject({ personId });
  });

  it.each([
    ['from another origin', { origin: 'https://evil.example' }],
    ['in a frame of a site that may not have it', { topOrigin: 'https://evil.example' }],
    ['for another RP id', { rpId: 'evil.example' }],
    ['without user verification', { userVerified: false }],
    ['to a challenge of nobody', { challenge: Buffer.alloc(32).toString('base64url') }],
  ])('is refused %s', async (_, wrong) => {
    const { passkeys, authenticator } = await openRegistered();
    const answer = authenticator.get(await passkeys.assertionOptions(SIGN_IN), wrong);
    expect(await passkeys.verifyAssertion(SIGN_IN, OWNER, answer)).toBeUndefined();
  });

  it('is refused with the challenge of another session, plan or attempt', async () => {
    const { passkeys, authenticator } = await openRegistered();
    for (const other of [{ sessionId: 'x' }, { nonce: 'x' }, { attempt: 2 }]) {
      const answer = authenticator.get(await passkeys.assertionOptions({ ...SIGN_IN, ...other }));
      expect(await passkeys.verifyAssertion(SIGN_IN, OWNER, answer)).toBeUndefined();
    }
  });

  it('is refused if replayed', async () => {
    const { passkeys, authenticator } = await openRegistered();
    const answer = authenticator.get(await passkeys.assertionOptions(SIGN_IN));
    expect(await passkeys.verifyAssertion(SIGN_IN, OWNER, answer)).toBeDefined();
    expect(await passkeys.verifyAssertion(SIGN_IN, OWNER, answer)).toBeUndefined();
    const next = { ...SIGN_IN, sessionId: 'session-3' };
    expect(await passkeys.verifyAssertion(next, OWNER, answer)).toBeUndefined();
  });

  it('is refused from a clone with a lower counter, and in one of two concurrent calls', async () => {
    const { passkeys, authenticator } = await openRegistered();
    const clone = authenticator.clone();
    const options = await passkeys.assertionOptions(SIGN_IN);
    const both = [authenticator.get(options), clone.get(options)];
    const judged = await Promise.all(both.map((answer) => passkeys.verifyAssertion(SIGN_IN, OWNER, answer)));
    expect(judged.filter((one) => one !== undefined)).toHaveLength(1);
    const late = { ...SIGN_IN, attempt: 2 };
    authenticator.get(options);
    const ahead = authenticator.get(await passkeys.assertionOptions(late));
    expect(await passkeys.verifyAssertion(late, OWNER, ahead)).toBeDefined();
    const behind = { ...SIGN_IN, attempt: 3 };
    const cloned = clone.get(await passkeys.assertionOptions(behind));
    expect(await passkeys.verifyAssertion(behind, OWNER, cloned)).toBeUndefined();
    const zero = { ...SIGN_IN, attempt: 4 };
    const reset = clone.get(await passkeys.assertionOptions(zero), { counter: 0 });
    expect(await passkeys.verifyAssertion(zero, OWNER, reset)).toBeUndefined();
  });

  it("names the passkey's owner, but not to another customer or world", async () => {
    const { database, ids, sealer, passkeys, register, personId, authenticator } = await openRegistered();
    const other = await insertPerson({ database, sealer, ids }, OWNER);
    const theirs = createAuthenticator(ORIGIN);
    await register(other, theirs);
    const options = await passkeys.assertionOptions(SIGN_IN);
    expect(await passkeys.verifyAssertion(SIGN_IN, OWNER, theirs.get(options))).toMatchObject({ personId: other });
    for (const other of OTHERS) {
      expect(await passkeys.verifyAssertion(SIGN_IN, other, authenticator.get(options))).toBeUndefined();
    }
    const mine = authenticator.get(options);
    const signedByOther = { ...mine, response: theirs.get(options).response };
    expect(await passkeys.verifyAssertion(SIGN_IN, OWNER, signedByOther)).toBeUndefined();
    expect(await passkeys.verifyAssertion(SIGN_IN, OWNER, mine)).toMatchObject({ personId });
  });

  it('is refused after the person was deleted', async () => {
    const { database, passkeys, personId, authenticator } = await openRegistered();
    await database.queries.deleteFrom('people').where('id', '=', personId).execute();
    const answer = authenticator.get(await passkeys.assertionOptions(SIGN_IN));
    expect(await passkeys.verifyAssertion(SIGN_IN, OWNER, answer)).toBeUndefined();
    expect(await database.queries.selectFrom('passkeys').selectAll().execute()).toEqual([]);
  });

  it('is refused if malformed, and the log has the reason without the answer', async () => {
    const { passkeys, authenticator, logged } = await openRegistered();
    const answer = authenticator.get(await passkeys.assertionOptions(SIGN_IN));
    const long = 'A'.repeat(20_000);
    const wrong = [
      ...[null, undefined, 'x', 7, [], {}, { ...answer, id: 7 }, { ...answer, id: `${answer.id}=` }],
      ...[
        { ...answer, type: 'password' },
        { ...answer, response: null },
        { ...answer, rawId: 'AAAA' },
      ],
      { ...answer, response: { ...answer.response, signature: long } },
      { ...answer, response: { ...answer.response, clientDataJSON: 'AAAA' } },
      { ...answer, response: { ...answer.response, authenticatorData: 'AAAA' } },
      JSON.parse('{"__proto__":{"id":"AAAA","rawId":"AAAA"},"type":"public-key"}'),
    ];
    for (const value of wrong) expect(await passkeys.verifyAssertion(SIGN_IN, OWNER, value)).toBeUndefined();
    expect(logged().match(/a passkey was refused/g)).toHaveLength(wrong.length);
    expect(logged()).not.toContain(answer.id);
    expect(await passkeys.verifyAssertion(SIGN_IN, OWNER, answer)).toBeDefined();
  });
});
