// Signed results that were forged, modified or taken from elsewhere, passed to the SDK's
// `verifyResult`.
import { createHmac, randomUUID } from 'node:crypto';
import { SignedError, type VerifySignedOptions, verifyResult } from '@limen/sdk';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import type { Host } from '../../host.ts';
import type { Speaker } from '../../speak.ts';

const JWT = { accept: 'application/jwt' };

async function signedResult(host: Host): Promise<string> {
  const { token } = await host.openAgeSession();
  return (await host.call('GET', `/session/${token}/result`, undefined, JWT)).text;
}

async function optionsFor(speaker: Speaker, jwt: string): Promise<VerifySignedOptions> {
  const { iss, aud } = partOf(jwt, 1);
  const jwks = (await speaker.send({ method: 'GET', path: '/.well-known/jwks.json' })).json<{ keys: object[] }>();
  return { jwks, issuer: String(iss), audience: String(aud) };
}

async function tell(jwt: string, options: VerifySignedOptions): Promise<string> {
  try {
    await verifyResult(jwt, options);
    return 'verified';
  } catch (error) {
    if (error instanceof SignedError) return error.code;
    throw error;
  }
}

function partOf(jwt: string, index: 0 | 1): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[index] ?? '', 'base64url').toString());
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function signWithOwnKey(header: object, payload: object): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const jwk = await crypto.subtle.exportKey('jwk', publicKey);
  const signed = `${encode({ ...header, jwk })}.${encode(payload)}`;
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, Buffer.from(signed));
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}

export const resultsForged: AttackClass = {
  name: 'results-forged',
  prevents: 'a signed result that was altered, signed by somebody else or not at all, or is for another customer',
  promise: 'docs/signed-results.md#what-verification-refuses',
  needs: 'a test key',
  refusals: [
    ...['malformed', 'wrong_algorithm', 'wrong_type', 'unknown_key', 'wrong_signature', 'wrong_audience'],
    ...['wrong_issuer', 'expired'],
  ],
  attempts: 200,
  async begin({ host, speaker }) {
    const jwt = await signedResult(host);
    const options = { ...(await optionsFor(speaker, jwt)), allowTest: true };
    expectHonest((await tell(jwt, options)) === 'verified', 'a signed result verifies');
    const [header = '', payload = '', signature = ''] = jwt.split('.');
    const [head, body] = [partOf(jwt, 0), partOf(jwt, 1)];
    const better = { ...body, sessionStatus: 'AGE_ABOVE_THRESHOLD', status: 'AGE_ABOVE_THRESHOLD' };
    const otherBytes = (text: string, at: number) =>
      `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
    const tries: ((round: number) => Promise<string>)[] = [
      () => tell(`${header}.${encode(better)}.${signature}`, options),
      () => tell(`${encode({ ...head, alg: 'none' })}.${encode(better)}.`, options),
      () => tell(`${encode({ ...head, alg: 'none' })}.${encode(better)}.${signature}`, options),
      () => {
        const signed = `${encode({ ...head, alg: 'HS256' })}.${encode(better)}`;
        const mac = createHmac('sha256', JSON.stringify(options.jwks?.keys[0])).update(signed).digest('base64url');
        return tell(`${signed}.${mac}`, options);
      },
      async () => tell(await signWithOwnKey(head, better), options),
      async () => tell(await signWithOwnKey({ ...head, kid: `live-${randomUUID()}` }, better), options),
      () => tell(`${encode({ ...head, typ: 'limen-deletion-receipt+jwt' })}.${payload}.${signature}`, options),
      () => tell(`${encode({ ...head, typ: 'limen-verification-result+jwt' })}.${payload}.${signature}`, options),
      (round) => tell(`${header}.${payload}.${otherBytes(signature, round % signature.length)}`, options),
      (round) => tell(`${header}.${otherBytes(payload, round % payload.length)}.${signature}`, options),
      () => tell(`${header}.${payload}.${Buffer.alloc(64).toString('base64url')}`, options),
      (round) => tell(jwt.slice(0, -1 - (round % 20)), options),
      () => tell(jwt, { ...options, audience: randomUUID() }),
      () => tell(jwt, { ...options, issuer: 'https://elsewhere.example' }),
      () => tell(jwt, { ...options, now: () => Number(body['exp']) * 1000 + 61_000 }),
    ];
    return (round) => inTurn(tries, round)(round);
  },
};

export const testResultsAsLive: AttackClass = {
  name: 'test-results-as-live',
  prevents: 'a result of the test world, whose outcome anybody with a test key chooses, that passes for a live one',
  promise: 'docs/signed-results.md#two-worlds',
  needs: 'many keys',
  refusals: ['test_world', 'wrong_signature', 'unknown_key', '404 not_found'],
  attempts: 100,
  async begin(stage) {
    const customer = randomUUID();
    const live = await stage.newHost({ kind: 'live', customer });
    const test = await stage.newHost({ kind: 'test', customer });
    const [liveJwt, testJwt] = [await signedResult(live), await signedResult(test)];
    const options = await optionsFor(stage.speaker, liveJwt);
    expectHonest((await tell(liveJwt, options)) === 'verified', 'a live result verifies');
    const { token } = await live.openAgeSession();
    const [header = '', payload = '', signature = ''] = testJwt.split('.');
    const liveHeader = encode({ ...partOf(testJwt, 0), kid: partOf(liveJwt, 0)['kid'] });
    const livePayload = encode({ ...partOf(testJwt, 1), world: 'live' });
    const tries: (() => Promise<string>)[] = [
      () => tell(testJwt, options),
      () => tell(`${header}.${livePayload}.${signature}`, options),
      () => tell(`${liveHeader}.${payload}.${signature}`, options),
      () => tell(`${liveHeader}.${livePayload}.${signature}`, options),
      async () => (await test.call('GET', `/session/${token}/result`, undefined, JWT)).label,
      async () => (await test.call('DELETE', `/session/${token}`, undefined, JWT)).label,
    ];
    return (round) => inTurn(tries, round)();
  },
};
