// Mass-produced age keys from a program at a host whose settings the attacker chose: their value,
// number and expiry.

import { AGE_KEYS_PER_HOUR } from '../../../../../apps/server/src/sessions/limits.ts';
import { type Authenticator, createAuthenticator } from '../../../../../apps/server/testing/authenticator.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import type { Host } from '../../host.ts';
import { MOVABLE_CLOCK } from '../../own-service.ts';
import type { Stage } from '../../stage.ts';
import { ACCEPTS, type Check, FACE_AND_DOCUMENT, makeAgeKey, passCheck, useAgeKey } from './age-keys.ts';

const HOUR_MS = 3_600_000;
const ANY = { ageKeyFrom: 'any' };

async function farm(stage: Stage, host: Host, address = stage.newAddress()): Promise<Authenticator> {
  const authenticator = createAuthenticator(stage.pageOrigin);
  const made = await makeAgeKey(await passCheck(stage, host, { address }), authenticator);
  expectHonest(made === '200 made', `a key is made: ${made}`);
  return authenticator;
}

/** Accepts other customers' keys, trusts forwarded addresses, and starts at a full hour. */
async function openToAll(stage: Stage): Promise<Stage> {
  const open = await stage.another({ ...MOVABLE_CLOCK, AGE_KEYS: 'all', TRUST_PROXY: 'true' });
  open.passTime(HOUR_MS - (Date.now() % HOUR_MS));
  return open;
}

export const ageKeysFarmed: AttackClass = {
  name: 'age-keys-farmed',
  prevents:
    'age keys that a program earned at a host of its own, by a document without a face, and that count at other customers, where a face is asked for, in any number, or for good',
  promise: 'docs/proofs.md#age-keys',
  needs: 'many keys',
  refusals: ['200 not_known', '200 too_weak', '403 forbidden', '429 too_many_requests', '400 validation_failed'],
  attempts: 40,
  async begin(stage) {
    const open = await openToAll(stage);
    const [liar, victim] = [await stage.newHost(), await stage.newHost()];
    const [openLiar, openVictim] = [await open.newHost(), await open.newHost()];
    const address = open.newAddress();
    const [kept, ended, foreign] = await Promise.all([
      farm(stage, liar),
      farm(stage, victim),
      farm(open, openLiar, address),
      ...Array.from({ length: AGE_KEYS_PER_HOUR.address - 1 }, () => farm(open, openLiar, address)),
    ]);
    const show = (at: Stage, host: Host, key: Authenticator, more: object = {}) =>
      useAgeKey(at, host, (options) => key.get(options), more);
    expectHonest((await show(stage, liar, kept!)) === '200 accepted', 'a key counts for its own customer');
    expectHonest(
      (await show(open, openVictim, foreign!, ANY)) === '200 accepted',
      'and elsewhere, where both allow it',
    );
    await stage.endAgeKeys(victim);
    const makeMore = async (check: Check) =>
      makeAgeKey(await passCheck(stage, liar, check), createAuthenticator(stage.pageOrigin));
    const tries: (() => Promise<string>)[] = [
      () => show(stage, victim, kept!),
      () => show(stage, victim, kept!, ANY),
      () => show(stage, liar, kept!, FACE_AND_DOCUMENT),
      () => show(stage, victim, ended!),
      () => show(open, openVictim, foreign!),
      () => show(open, openVictim, foreign!, { ...FACE_AND_DOCUMENT, ...ANY }),
      async () => {
        const body = { ...FACE_AND_DOCUMENT, ageKeyStrength: 'document' };
        return (await liar.call('POST', '/session', body)).label;
      },
      () => makeMore({ said: { indicators: null } }),
      // A face that was asked for light and declined it.
      () => makeMore({ body: ACCEPTS }),
      async () => makeAgeKey(await passCheck(open, openLiar, { address }), createAuthenticator(open.pageOrigin)),
    ];
    return (round) => inTurn(tries, round)();
  },
};
