// Sign-in through an identity provider on another site, in a real browser with cookies.
import { addAuthenticator } from '@limen/testing/add-authenticator.ts';
import { IS_LONG } from '@limen/testing/rounds.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '#testing/browser.ts';
import { ensurePages } from '#testing/built-pages.ts';
import { expectAccessible } from '#testing/console/console-visit.ts';
import { type Issuer, startIssuer } from '#testing/issuer.ts';
import { startTestApp } from '#testing/test-app.ts';

let address: string;
let issuer: Issuer;

beforeAll(async () => {
  if (!chromiumPath || !IS_LONG) return;
  await ensurePages('console');
  issuer = await startIssuer({ redirectUri: () => `${address}/console/signed-in`, atEnd: afterAll });
  const environment = {
    SERVE: 'core,console',
    CONSOLE_OIDC_ISSUER: issuer.url,
    CONSOLE_OIDC_CLIENT_ID: issuer.clientId,
    CONSOLE_OIDC_CLIENT_SECRET: issuer.clientSecret,
    CONSOLE_OIDC_ROLES: 'fraud=reviewer',
  };
  const app = await startTestApp({ environment, atEnd: afterAll });
  address = await app.listen();
});

describe.skipIf(!chromiumPath || !IS_LONG)('with an identity provider', () => {
  it('explains a refusal, then admits the operator and offers a passkey', async () => {
    const browser = await launchBrowser();
    const page = await browser.newPage({ bypassCSP: true });
    await addAuthenticator(page);
    const go = page.getByRole('button', { name: `Continue with ${new URL(issuer.url).host}` });

    issuer.account = { sub: '1', preferred_username: 'ada@example.com', groups: ['sales'] };
    await page.goto(`${address}/console`);
    await go.click();
    await page.getByRole('alert').getByText('not in a group').waitFor();
    await expectAccessible(page);

    issuer.account = { ...issuer.account, groups: ['fraud'] };
    await page.context().clearCookies({ domain: '127.0.0.1' });
    await go.click();
    await page.getByRole('heading', { name: 'Welcome, ada@example.com' }).waitFor();
    await page.getByText('signed in as reviewer').waitFor();
    await page.getByRole('button', { name: 'Register a passkey' }).click();
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'ada@example.com, reviewer' }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();

    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').getByText('organization’s account').waitFor();
    await go.click();
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    expect(await page.context().cookies(address)).toMatchObject([{ name: 'limen-console', sameSite: 'Strict' }]);
  });
});
