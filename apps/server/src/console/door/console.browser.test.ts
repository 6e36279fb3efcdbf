// The console in a real browser with an authenticator: each role's rooms, accessibility and XSS.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '#testing/browser.ts';
import { ensurePages } from '#testing/built-pages.ts';
import { enter, expectAccessible, SCRIPT } from '#testing/console/console-visit.ts';
import { newHost } from '#testing/session-app.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';
import type { Role } from '../../platform/base/roles.ts';

let app: TestApp;
let address: string;

beforeAll(async () => {
  if (!chromiumPath) return;
  await ensurePages('console');
  app = await startTestApp({ environment: { SERVE: 'core,console' }, atEnd: afterAll });
  address = await app.listen();
  const host = await newHost(app, 'test', SCRIPT);
  for (const outcome of ['above', 'spoof']) {
    const callback = { url: 'http://localhost:9/hook' };
    const { body } = await host.create({ metadata: { [SCRIPT]: SCRIPT }, callback });
    await host.simulate(body.token, { outcome });
  }
  const [key] = await app.apiKeys.list();
  await app.apiKeys.relabel(key!.id, SCRIPT);
});

const rooms = (page: Page) => page.getByRole('navigation').getByRole('link').allTextContents();

describe.skipIf(!chromiumPath)('the console', () => {
  it('leads an admin through every room, accessible in both color schemes and at two widths', async () => {
    const { page, complaints } = await enter({ app, address }, 'admin', 'Ada');
    expect(await rooms(page)).toEqual([
      'Overview',
      'Review',
      'Sessions',
      'Webhooks',
      'Screening',
      'People and privacy',
      'API keys',
      'Audit log',
      'Operators',
      'System',
    ]);
    await expectAccessible(page);

    await page.getByLabel('Recommendation').selectOption('BLOCK');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    expect(page.url()).toBe(`${address}/console#/sessions?recommendation=BLOCK`);
    await page.locator('h1').click();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByText('The face was a picture, a screen or a mask').waitFor();
    const [, opened = ''] = /sessions\/(.{36})/.exec(page.url()) ?? [];
    await page.getByRole('link', { name: 'Sessions' }).first().click();
    await page.getByLabel('Session or transaction id').fill(opened.slice(0, 8));
    await page.keyboard.press('Enter');
    await page.getByText('The face was a picture, a screen or a mask').waitFor();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.locator('pre').getByText('onerror').first().waitFor();
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Redact…' }).click();
    await page.getByRole('button', { name: 'Redact with passkey' }).click();
    await page.getByText(`Session ${opened.slice(0, 8)} was redacted`).waitFor();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);

    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.getByRole('button', { name: 'Create a key…' }).click();
    await page.getByLabel('Label').fill('Web shop');
    await page.getByLabel('Live').check();
    await page.getByRole('button', { name: 'Create with passkey' }).click();
    const value = page.getByText(/^limen_live_/);
    await value.waitFor();
    expect(await app.apiKeys.authenticate((await value.textContent()) ?? '')).toMatchObject({ label: 'Web shop' });
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await expectAccessible(page, { seenBefore: true });

    await app.database.queries.updateTable('audit_lines').set({ act: 'edited' }).where('seq', '=', 1).execute();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('cell', { name: 'redacted a session' }).waitFor();
    await page.getByRole('cell', { name: 'edited in the database' }).waitFor();
    await expectAccessible(page, { seenBefore: true });
    await page.getByLabel('What').selectOption('session.view');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
    expect(page.url()).toBe(`${address}/console#/audit?act=session.view`);
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export all' }).click();
    expect((await saved).suggestedFilename()).toMatch(/^limen-audit-.*\.jsonl$/);
    await page.locator('tbody td.roomy a').first().click();
    await page.getByText('Session not found.').waitFor(); // it was redacted
    await page.goto(`${address}/console#/elsewhere`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByRole('button', { name: 'Ada, admin' }).click();
    await page.getByText('onerror').waitFor(); // the browser's name for itself
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.locator('tbody tr').first().waitFor();
    expect([complaints, await page.title()]).toEqual([[], 'Audit log · Limen console']);
  });

  it.each<[Role, string[], string[]]>([
    [
      'reviewer',
      ['Overview', 'Review', 'Sessions', 'Webhooks', 'Screening', 'People and privacy'],
      ['Redact…', 'Send again'],
    ],
    [
      'auditor',
      [
        'Overview',
        'Review',
        'Sessions',
        'Webhooks',
        'Screening',
        'People and privacy',
        'API keys',
        'Audit log',
        'System',
      ],
      ['Redact…', 'Send again', 'Show', 'Create a key…', 'Rename'],
    ],
    ['developer', ['Overview', 'Sessions', 'Webhooks', 'Screening', 'API keys', 'System'], ['Redact…']],
  ])('shows a %s the rooms %j and no buttons %j', async (role, expected, absent) => {
    const { page, complaints } = await enter({ app, address }, role, `the ${role}`);
    expect(await rooms(page)).toEqual(expected);
    await page.locator('tbody tr a').first().click();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    const buttons = await page.getByRole('button').allTextContents();
    if (expected.includes('API keys')) {
      await page.getByRole('link', { name: 'API keys' }).click();
      await page.locator('tbody tr').first().waitFor();
      buttons.push(...(await page.getByRole('button').allTextContents()));
    }
    expect(absent.filter((name) => buttons.includes(name))).toEqual([]);
    if (role === 'developer') {
      await page.getByRole('button', { name: 'Create a key…' }).click();
      expect(await page.getByLabel('Live').count()).toBe(0);
    }
    if (role === 'reviewer') {
      await page.goto(`${address}/console#/system`);
      await page.getByRole('heading', { name: 'Not for your role' }).waitFor();
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      await page.goto(`${address}/console#/review?state=made-up`);
      await page.getByText('contains an unknown filter').waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await expect.poll(() => page.url()).toBe(`${address}/console#/review`);
    }
    expect(complaints).toEqual([]);
    expect(await page.title()).not.toBe('owned');
  });

  it('refuses a used link, and shows the sign-in to visitors', async () => {
    const browser = await launchBrowser();
    const page = await browser.newPage();
    await page.goto(`${address}/console#invite=made-up`);
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
    await page.getByRole('link', { name: 'Go to sign-in' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  });

  it('sends a policy that forbids foreign resources and inline code', async () => {
    const { headers } = await fetch(`${address}/console`);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
  });
});
