// An idempotency key planted by a test key, so that a live creation returns a test session.
import { randomUUID } from 'node:crypto';
import { type AttackClass, expectHonest } from '../../attack-class.ts';
import { verificationBody } from '../../host.ts';

const ANOTHER = 'another session';

export const idempotencyAcrossWorlds: AttackClass = {
  name: 'idempotency-across-worlds',
  prevents: 'a live creation that is answered with a test session, whose outcome anybody with the test key can choose',
  promise: 'docs/contributing.md#owners',
  needs: 'many keys',
  refusals: [ANOTHER],
  attempts: 100,
  async begin(stage) {
    const customer = randomUUID();
    const live = await stage.newHost({ kind: 'live', customer });
    const test = await stage.newHost({ kind: 'test', customer });
    const same = { 'idempotency-key': randomUUID() };
    const [first, again] = [
      await live.call('POST', '/session', {}, same),
      await live.call('POST', '/session', {}, same),
    ];
    expectHonest(first.text === again.text && first.status === 201, 'the same key in one world gives the same session');
    return async (round) => {
      const key = { 'idempotency-key': randomUUID() };
      const [path, body] =
        round % 2 === 0 ? ['/session', {}] : ['/v2/verification-session', verificationBody('SIGN-IN')];
      const planted = await test.call('POST', path!, body, key);
      const answered = await live.call('POST', path!, body, key);
      if (answered.status !== 201 || planted.status !== 201) return `${planted.label}, ${answered.label}`;
      return answered.text === planted.text ? 'the planted session' : ANOTHER;
    };
  },
};
