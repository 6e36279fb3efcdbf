// One idempotency key for two different requests.
import { randomUUID } from 'node:crypto';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';

export const idempotencyKeyReused: AttackClass = {
  name: 'idempotency-key-reused',
  prevents: 'a request that is answered with the stored reply to another one',
  promise: 'docs/age-sessions.md',
  needs: 'a test key',
  refusals: ['422 idempotency_key_reused', '400 validation_failed'],
  attempts: 100,
  async begin({ host }) {
    const key = { 'idempotency-key': randomUUID() };
    const first = await host.call('POST', '/session', { ageThreshold: 18 }, key);
    const again = await host.call('POST', '/session', { ageThreshold: 18 }, key);
    expectHonest(first.status === 201 && first.text === again.text, 'the same request again has the same reply');
    const others: [path: string, body: object, headers: Record<string, string>][] = [
      ['/session', { ageThreshold: 19 }, key],
      ['/session', { ageThreshold: 18, metadata: {} }, key],
      ['/session', {}, key],
      ['/session', {}, { 'idempotency-key': 'a'.repeat(10_000) }],
    ];
    return async (round) => (await host.call('POST', ...inTurn(others, round))).label;
  },
};
