// Edited rows of passkeys allow no sign-in as another person, customer or world.
import { describe, expect, it } from 'vitest';
import { createAuthenticator } from '#testing/authenticator.ts';
import { pickByPerson, tryEveryEdit } from '#testing/edited-rows/edit-rows.ts';
import { NO_LOG, OWNER, OWNERS, openWithPeople } from '#testing/edited-rows/places.ts';
import { createCeremony } from '../../src/platform/webauthn/ceremony.ts';
import { findRelyingParty } from '../../src/platform/webauthn/relying-party.ts';
import { Passkeys } from '../../src/sessions/proofs/passkeys.ts';

const ORIGIN = 'https://check.example';

describe('an edited row', () => {
  it('of passkeys lets no authenticator speak for another person, and vouches for none', async () => {
    const { database, sealer, clock, victim, thief } = await openWithPeople();
    const unset = { PASSKEY_RP_ID: undefined, PASSKEY_ORIGIN: undefined };
    const relyingParty = () => findRelyingParty(unset, new URL(`${ORIGIN}/launch`));
    const context = { database, sealer, clock, log: NO_LOG };
    const passkeys = new Passkeys(context, createCeremony(relyingParty), async () => []);
    const authenticators = [
      createAuthenticator(ORIGIN, { counts: true }),
      createAuthenticator(ORIGIN, { counts: true }),
    ];
    for (const [at, personId] of [victim, thief].entries()) {
      clock.advance(1);
      const binding = { sessionId: 's', nonce: 'n', attempt: at };
      const options = await passkeys.registrationOptions(binding, { personId, requester: null });
      const made = await passkeys.verifyRegistration(binding, personId, authenticators[at]!.create(options));
      const differing = { ...made!, counter: 5 * at, transports: [['usb'], ['nfc']][at]! };
      await database.transact((trx) => passkeys.add(trx, { owner: OWNER, personId }, differing, at === 0 ? 1 : 0));
    }
    const pick = pickByPerson(victim, thief);
    let attempt = 0;
    await tryEveryEdit(database, 'passkeys', pick, async (edit, edited) => {
      const id = edited['credential_id'] as string;
      for (const owner of OWNERS) {
        expect(await passkeys.find(owner, id), edit).toBeUndefined();
        attempt += 1;
        const binding = { sessionId: 's', nonce: 'n', attempt };
        const answer = authenticators[1]!.get(await passkeys.assertionOptions(binding));
        const found = await passkeys.verifyAssertion(binding, owner, answer);
        expect(found?.personId, edit).not.toBe(victim);
      }
      await database.transact(async (trx) => {
        for (const person of [victim, thief]) expect(await passkeys.voucherOf(trx, person, id), edit).toBe(0);
      });
    });
  });
});
