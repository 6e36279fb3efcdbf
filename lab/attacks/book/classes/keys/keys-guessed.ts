// Keys that are guessed, similar to a real one, sent in other places, or revoked.
import { randomBytes } from 'node:crypto';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { verificationBody } from '../../host.ts';

export const keysGuessed: AttackClass = {
  name: 'keys-guessed',
  prevents: 'a key that is guessed, altered, revoked, or sent anywhere but in the header',
  promise: 'docs/security.md#a-hostile-client',
  needs: 'many keys',
  refusals: ['401 invalid_api_key', '403 forbidden', '400 validation_failed', '429 too_many_requests'],
  attempts: 150,
  async begin(stage) {
    const owner = await stage.newHost();
    const revoked = await stage.newHost();
    expectHonest((await revoked.call('POST', '/session', {})).status === 201, 'a key that is not revoked works');
    await stage.revoke(revoked);
    const key = owner.apiKey;
    const swapped = [...key].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');
    const guess = (round: number): Record<string, string> =>
      inTurn<Record<string, string>>(
        [
          { 'x-api-key': `limen_test_${randomBytes(32).toString('base64url')}` },
          { 'x-api-key': `limen_live_${randomBytes(32).toString('base64url')}` },
          { 'x-api-key': key.replace('_test_', '_live_') },
          { 'x-api-key': key.slice(0, -1) },
          { 'x-api-key': `${key}a` },
          { 'x-api-key': swapped },
          { 'x-api-key': `${key},${key}` },
          { 'x-api-key': '' },
          { 'x-api-key': 'a'.repeat(4_000) },
          { 'x-api-key': "' or 1=1 --" },
          { 'x-api-key': revoked.apiKey },
          { authorization: `Bearer ${key}` },
          { cookie: `x-api-key=${key}` },
          { 'x-api-keys': key },
          {},
        ],
        round,
      );
    const calls: [path: string, body: object][] = [
      ['/session', {}],
      ['/v2/verification-session', verificationBody('ENROLL')],
      [`/session?x-api-key=${key}`, {}],
      ['/node/api-key/checkApiKeyValid', {}],
      ['/node/plainPredict', { features: { embedding_vector: Array(128).fill(0.1) } }],
    ];
    return async (round) => {
      const [path, body] = inTurn(calls, Math.floor(round / 15) + round);
      return (await stage.speaker.send({ method: 'POST', path, headers: guess(round), body })).label;
    };
  },
};
