// A customer's test key against people enrolled in live sessions: finding, trusting and deleting
// them.
import { randomUUID } from 'node:crypto';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { again, enrollAtOnce, guess, hold } from '../../people.ts';

export const testKeyOnLiveFaces: AttackClass = {
  name: 'test-key-on-live-faces',
  prevents: 'a test key that recognizes somebody who enrolled with a live key, trusts their device, or deletes them',
  promise: 'docs/contributing.md#owners',
  needs: 'many keys',
  refusals: ['not_recognized', '404 not_found', '400 not_found', 'somebody new'],
  attempts: 40,
  async begin(stage) {
    const customer = randomUUID();
    const live = await stage.newHost({ kind: 'live', customer });
    const test = await stage.newHost({ kind: 'test', customer });
    const person = await enrollAtOnce(stage, live);
    expectHonest((await guess(stage, live, { face: again(person) })) === 'matched', 'the person signs in');
    const signIn = await hold(stage, await live.startVerification('SIGN-IN'));
    await signIn.reach('token');
    await signIn.show(again(person));
    await signIn.answer();
    const tries: (() => Promise<string>)[] = [
      () => guess(stage, test, { face: again(person) }),
      () => guess(stage, test, { type: 'VERIFY', userId: person.puid, face: again(person) }),
      async () => (await test.call('POST', `/v2/verification-session/${signIn.id}/trust-device`)).label,
      async () => (await test.call('POST', '/node/deleteUser', { puid: person.puid })).label,
    ];
    return (round) => inTurn(tries, round)();
  },
};
