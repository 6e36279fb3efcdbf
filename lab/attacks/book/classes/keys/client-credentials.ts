// A bare key of a customer whose key has client credentials. Every webhook receiver has such a key.
import { randomBytes, randomUUID } from 'node:crypto';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { waitForDelivery } from '../../deliveries.ts';
import { basicOf, type Host, verificationBody } from '../../host.ts';

type Try = [method: string, path: string, body?: object];

async function prepare(stage: Parameters<AttackClass['begin']>[0]): Promise<{ owner: Host; tries: Try[] }> {
  const owner = await stage.newHost({ clientCredentials: true });
  const id = await owner.startVerification('ENROLL');
  const ended = await owner.startVerification('SIGN-IN');
  await owner.call('POST', `/v2/verification-session/${ended}/simulate`, { outcome: 'success' });
  const delivery = await waitForDelivery(owner, ended);
  expectHonest((await owner.verificationResult(id)).status === 'PENDING', 'key and credentials read the session');
  return {
    owner,
    tries: [
      ['POST', '/v2/verification-session', verificationBody('SIGN-IN')],
      ['GET', `/v2/verification-session/${id}/result`],
      ['DELETE', `/v2/verification-session/${id}`],
      ['POST', `/v2/verification-session/${id}/simulate`, { outcome: 'success' }],
      ['POST', `/v2/verification-session/${id}/trust-device`],
      ['GET', '/v2/webhook-deliveries'],
      ['POST', `/v2/webhook-deliveries/${delivery.id}/resend`],
    ],
  };
}

const common = {
  promise: 'docs/sign-in.md#keys-and-credentials',
  needs: 'many keys',
  refusals: ['401 invalid_client_credentials'],
  attempts: 105,
} as const satisfies Partial<AttackClass>;

export const clientSecretMissing: AttackClass = {
  ...common,
  name: 'client-secret-missing',
  prevents: 'reaching verification sessions and deliveries with the API key alone, which every webhook receiver holds',
  async begin(stage) {
    const { owner, tries } = await prepare(stage);
    const bare = { 'x-api-key': owner.apiKey };
    return async (round) => {
      const [method, path, body] = inTurn(tries, round);
      return (await stage.speaker.send({ method, path, headers: bare, ...(body && { body }) })).label;
    };
  },
};

export const clientSecretWrong: AttackClass = {
  ...common,
  name: 'client-secret-wrong',
  prevents: 'a guessed client secret, another key’s, or one in another form',
  async begin(stage) {
    const { owner, tries } = await prepare(stage);
    const other = await stage.newHost({ clientCredentials: true });
    const [clientId, secret] = [owner.clientId ?? '', owner.clientSecret ?? ''];
    const wrong = (): string[] => [
      basicOf(clientId, randomBytes(32).toString('base64url')),
      basicOf(other.clientId ?? '', other.clientSecret ?? ''),
      basicOf(randomUUID(), secret),
      basicOf(clientId, other.clientSecret ?? ''),
      basicOf(clientId, secret.slice(0, -1)),
      basicOf(clientId, `${secret}a`),
      basicOf(clientId, ''),
      basicOf('', secret),
      basicOf(secret, clientId),
      `Bearer ${secret}`,
      basicOf(clientId, secret).replace('Basic ', ''),
      `Basic ${'A'.repeat(4_000)}`,
      'Basic',
    ];
    return async (round) => {
      const [method, path, body] = inTurn(tries, round);
      const headers = { 'x-api-key': owner.apiKey, authorization: inTurn(wrong(), round) };
      return (await stage.speaker.send({ method, path, headers, ...(body && { body }) })).label;
    };
  },
};
