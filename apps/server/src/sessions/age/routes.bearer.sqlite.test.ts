// Bearer tokens on session creation, in the whole service: when they are looked at, and in which order.
import { expect, it } from 'vitest';
import { AUDIENCE, createSigningKey, startLocalIssuer } from '#testing/platform/bearer-issuer.ts';
import { startTestApp } from '#testing/test-app.ts';
import { systemClock } from '../../platform/base/clock.ts';

async function startWithIssuer() {
  const issuer = await startLocalIssuer(systemClock);
  const key = await createSigningKey('first');
  issuer.publish(key);
  const app = await startTestApp({
    environment: { OIDC_ISSUER: issuer.issuer, OIDC_AUDIENCE: AUDIENCE, OIDC_JWKS_URL: issuer.jwksUrl },
  });
  const { apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false });
  return { issuer, key, app, apiKey };
}

it('a session is made with a good token and with none, and not with a bad one', async () => {
  const { issuer, key, app, apiKey } = await startWithIssuer();
  const create = (headers: Record<string, string>) =>
    app.http.inject({ method: 'POST', url: '/session', headers: { 'x-api-key': apiKey, ...headers } });
  expect((await create({})).statusCode).toBe(201);
  expect((await create({ authorization: `Bearer ${await issuer.sign(key)}` })).statusCode).toBe(201);
  const refused = await create({ authorization: `Bearer ${await issuer.sign(key, { aud: 'bank' })}` });
  expect(refused.statusCode).toBe(401);
  expect(refused.headers).toMatchObject({
    'x-error-code': 'invalid_bearer_token',
    'www-authenticate': 'Bearer error="invalid_token"',
  });
  const rows = await app.database.queries.selectFrom('sessions').select('id').execute();
  expect(rows).toHaveLength(2);
});

it('the API key is checked first, the body last', async () => {
  const { issuer, app, apiKey } = await startWithIssuer();
  const create = (headers: Record<string, string>) =>
    app.http.inject({
      method: 'POST',
      url: '/session',
      headers: { 'content-type': 'application/json', authorization: 'Bearer nonsense', ...headers },
      payload: '{ this is no JSON',
    });
  expect((await create({ 'x-api-key': 'nobody' })).json()).toMatchObject({ message: 'Invalid API key' });
  expect((await create({ 'x-api-key': apiKey })).headers['x-error-code']).toBe('invalid_bearer_token');
  expect(issuer.fetches()).toBe(0);
});

it('only creation looks at it: results, deletion and the test mode go by token and key', async () => {
  const { app, apiKey } = await startWithIssuer();
  const headers = { 'x-api-key': apiKey };
  const { token } = (await app.http.inject({ method: 'POST', url: '/session', headers })).json();
  const odd = { ...headers, authorization: 'Bearer nonsense' };
  expect((await app.http.inject({ url: `/session/${token}/result`, headers: odd })).statusCode).toBe(200);
  const simulated = await app.http.inject({
    method: 'POST',
    url: `/session/${token}/simulate`,
    headers: odd,
    payload: { outcome: 'above' },
  });
  expect(simulated.statusCode).toBe(200);
  expect((await app.http.inject({ method: 'DELETE', url: `/session/${token}`, headers: odd })).statusCode).toBe(204);
});

it('without an issuer in the configuration it is not looked at', async () => {
  const app = await startTestApp();
  const { apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false });
  const headers = { 'x-api-key': apiKey, authorization: 'Bearer nonsense' };
  expect((await app.http.inject({ method: 'POST', url: '/session', headers })).statusCode).toBe(201);
});

it('the reference says that it may come along with the key', async () => {
  const app = await startTestApp();
  const { components, paths } = (await app.http.inject('/openapi.json')).json();
  expect(components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' });
  expect(paths['/session'].post.security).toEqual([{ apiKey: [] }, { apiKey: [], bearer: [] }]);
  expect(Object.keys(paths['/session'].post.responses)).toEqual(expect.arrayContaining(['401', '503']));
});
