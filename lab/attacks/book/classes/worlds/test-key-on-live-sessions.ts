// A customer's test key against sessions created with live keys.
import { randomUUID } from 'node:crypto';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';

export const testKeyOnLiveSessions: AttackClass = {
  name: 'test-key-on-live-sessions',
  prevents: 'a test key that reads, ends, trusts or deletes a session created with the same customer’s live key',
  promise: 'docs/contributing.md#owners',
  needs: 'many keys',
  refusals: ['404 not_found'],
  attempts: 100,
  async begin(stage) {
    const customer = randomUUID();
    const live = await stage.newHost({ kind: 'live', customer });
    const test = await stage.newHost({ kind: 'test', customer });
    const age = await live.openAgeSession();
    const id = await live.startVerification('ENROLL');
    expectHonest((await live.ageResult(age.token)).token === age.token, 'a live key reads its own age session');
    expectHonest((await live.verificationResult(id)).status === 'PENDING', 'a live key reads its own session');
    const own = await test.openAgeSession();
    expectHonest(
      (await test.call('POST', `/session/${own.token}/simulate`, { outcome: 'above' })).status === 200,
      'a test key ends its own session',
    );
    const tries: [method: string, path: string, body?: object][] = [
      ['GET', `/session/${age.token}/result`],
      ['DELETE', `/session/${age.token}`],
      ['POST', `/session/${age.token}/simulate`, { outcome: 'above' }],
      ['GET', `/v2/verification-session/${id}/result`],
      ['DELETE', `/v2/verification-session/${id}`],
      ['POST', `/v2/verification-session/${id}/simulate`, { outcome: 'success' }],
      ['POST', `/v2/verification-session/${id}/trust-device`],
    ];
    return async (round) => (await test.call(...inTurn(tries, round))).label;
  },
};
