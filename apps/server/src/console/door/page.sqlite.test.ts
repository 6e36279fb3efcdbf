// Addresses of the console's page: its own, redirects, and unknown ones.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensurePages } from '#testing/built-pages.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

let local: TestApp;
let home: string;
let named: TestApp;

beforeAll(async () => {
  await ensurePages('console');
  local = await startTestApp({ environment: { SERVE: 'core,console' }, atEnd: afterAll });
  home = `http://localhost:${new URL(await local.listen()).port}/console`;
  const environment = { SERVE: 'core,console', CONSOLE_URL: 'https://console.example/console' };
  named = await startTestApp({ environment, atEnd: afterAll });
});

async function ask(app: TestApp, url: string, host: string, method: 'GET' | 'HEAD' = 'GET') {
  const { statusCode, headers } = await app.http.inject({ method, url, headers: { host } });
  return [statusCode, headers.location];
}

describe('a console at localhost', () => {
  it.each(['127.0.0.1', '127.0.0.1:8080', '[::1]', '[::1]:8080'])('redirects from %s', async (host) => {
    expect(await ask(local, '/console', host)).toEqual([302, home]);
    expect(await ask(local, '/console/', host, 'HEAD')).toEqual([302, home]);
  });

  it('redirects from its address with a slash', async () => {
    const own = new URL(home).host;
    expect(await ask(local, '/console/', own)).toEqual([302, '../console']);
    expect(await ask(local, '/console', own)).toEqual([200, undefined]);
  });

  it.each(['rebound.example', '127.0.0.1.rebound.example', '127.0.0.1:8080@rebound.example', '', 'localhost:1'])(
    'is not there under the name "%s"',
    async (host) => {
      expect(await ask(local, '/console', host)).toEqual([404, undefined]);
      expect(await ask(local, '/console/', host)).toEqual([404, undefined]);
    },
  );

  it('answers no API call at a numeric address', async () => {
    expect(await ask(local, '/console/api/sign-in', '127.0.0.1')).toEqual([404, undefined]);
  });
});

it('redirects only from its slash if the console has a name of its own', async () => {
  expect(await ask(named, '/console/', 'console.example')).toEqual([302, '../console']);
  expect(await ask(named, '/console', '127.0.0.1')).toEqual([404, undefined]);
  expect(await ask(named, '/console/', '127.0.0.1')).toEqual([404, undefined]);
});
