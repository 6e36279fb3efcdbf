// Invented keys on yente-compatible calls, in each of the four ways to send one.
import { randomBytes } from 'node:crypto';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { basicOf } from '../../host.ts';

const WAYS: readonly ((key: string) => Record<string, string>)[] = [
  (key) => ({ 'x-api-key': key }),
  (key) => ({ authorization: `ApiKey ${key}` }),
  (key) => ({ authorization: `Bearer ${key}` }),
  (key) => ({ authorization: basicOf('yente', key) }),
];
const QUERIES = { queries: { one: { schema: 'Person', properties: { name: ['Ottokar Brennwälder'] } } } };
const CALLS: readonly [method: string, path: string, body?: object][] = [
  ['POST', '/yente/match/default', QUERIES],
  ['GET', '/yente/search/default?q=brennwalder'],
  ['GET', '/yente/entities/demo-006'],
];

export const yenteKeysMadeUp: AttackClass = {
  name: 'yente-keys-made-up',
  prevents: 'a made-up key that counts, in whatever way a client of yente presents it',
  promise: 'docs/yente.md',
  needs: 'a test key',
  refusals: ['401 invalid_api_key'],
  attempts: 120,
  async begin({ host, speaker }) {
    for (const way of WAYS) {
      const [method, path, body] = CALLS[0]!;
      const reply = await speaker.send({ method, path, headers: way(host.apiKey), ...(body && { body }) });
      expectHonest(reply.status === 200, 'a real key in each way');
    }
    return async (round) => {
      const key = inTurn([randomBytes(24).toString('base64url'), `${host.apiKey}x`, host.apiKey.slice(0, -1)], round);
      const [method, path, body] = inTurn(CALLS, round >> 2);
      const reply = await speaker.send({ method, path, headers: inTurn(WAYS, round >> 1)(key), ...(body && { body }) });
      return reply.label;
    };
  },
};
