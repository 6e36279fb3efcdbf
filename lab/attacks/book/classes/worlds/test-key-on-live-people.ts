// A customer's test key against people enrolled with live keys in the biometric node.
import { randomUUID } from 'node:crypto';
import { makeFace } from '../../../../../apps/server/testing/faces.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';

export const testKeyOnLivePeople: AttackClass = {
  name: 'test-key-on-live-people',
  prevents: 'a test key that finds or deletes people whom the same customer enrolled with a live key',
  promise: 'docs/contributing.md#owners',
  needs: 'many keys',
  refusals: ['200 User not enrolled', '400 not_found'],
  attempts: 100,
  async begin(stage) {
    const customer = randomUUID();
    const live = await stage.newHost({ kind: 'live', customer });
    const test = await stage.newHost({ kind: 'test', customer });
    const features = { type: 'face', embedding_vector: [...makeFace(1)] };
    const { puid } = (await live.call('POST', '/node/plainEnroll', { features })).json<{ puid: string }>();
    const found = await live.call('POST', '/node/plainPredict', { features });
    expectHonest(found.json<{ puid: string }>().puid === puid, 'a live key finds whom it enrolled');
    const tries: [path: string, body: object][] = [
      ['/node/plainPredict', { features }],
      ['/node/plainPredict', { features, K: 5 }],
      ['/node/FACE3_3/deleteUser', { puid }],
      ['/node/FACE3_1/deleteUser', { puid }],
      ['/node/deleteUser', { puid }],
    ];
    return async (round) => (await test.call('POST', ...inTurn(tries, round))).label;
  },
};
