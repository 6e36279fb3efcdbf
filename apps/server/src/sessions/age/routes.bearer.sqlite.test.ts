// Bearer tokens on session creation in the whole service: when and in which order they are checked.
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

it('creates a session with a valid token or none, and refuses an invalid one', async () => {
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

it('checks the API key first and the body last', async () => {
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

it('checks the token only on creation; other calls use session token and key', async () => {
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

it('ignores the token without a configured issuer', async () => {
  const app = await startTestApp();
  const { apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false });
  const headers = { 'x-api-key': apiKey, authorization: 'Bearer nonsense' };
  expect((await app.http.inject({ method: 'POST', url: '/session', headers })).statusCode).toBe(201);
});

it('documents the token in the API reference', async () => {
  const app = await startTestApp();
  const { components, paths } = (await app.http.inject('/openapi.json')).json();
  expect(components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' });
  expect(paths['/session'].post.security).toEqual([{ apiKey: [] }, { apiKey: [], bearer: [] }]);
  expect(Object.keys(paths['/session'].post.responses)).toEqual(expect.arrayContaining(['401', '503']));
});
