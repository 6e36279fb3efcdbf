// Another customer's key against all data of this one.
import { makeFace } from '../../../../../apps/server/testing/faces.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';

export const anotherCustomer: AttackClass = {
  name: 'another-customer',
  prevents: 'a customer who reads, ends, trusts or deletes what belongs to another',
  promise: 'docs/security.md#a-hostile-client',
  needs: 'many keys',
  refusals: ['404 not_found', '400 not_found', '200 User not enrolled'],
  attempts: 120,
  async begin(stage) {
    const [owner, thief] = [await stage.newHost(), await stage.newHost()];
    const { token } = await owner.openAgeSession();
    const id = await owner.startVerification('ENROLL');
    const features = { type: 'face', embedding_vector: [...makeFace(2)] };
    const { puid } = (await owner.call('POST', '/node/plainEnroll', { features })).json<{ puid: string }>();
    const found = await owner.call('POST', '/node/plainPredict', { features });
    expectHonest(found.json<{ puid: string }>().puid === puid, 'the owner finds whom they enrolled');
    expectHonest((await owner.verificationResult(id)).status === 'PENDING', 'the owner reads the session');
    const tries: [method: string, path: string, body?: object][] = [
      ['GET', `/session/${token}/result`],
      ['DELETE', `/session/${token}`],
      ['POST', `/session/${token}/simulate`, { outcome: 'above' }],
      ['GET', `/v2/verification-session/${id}/result`],
      ['DELETE', `/v2/verification-session/${id}`],
      ['POST', `/v2/verification-session/${id}/simulate`, { outcome: 'success' }],
      ['POST', `/v2/verification-session/${id}/trust-device`],
      ['POST', '/node/plainPredict', { features }],
      ['POST', '/node/plainPredict', { features, user_identifier: puid }],
      ['POST', '/node/deleteUser', { puid }],
    ];
    return async (round) => (await thief.call(...inTurn(tries, round))).label;
  },
};
