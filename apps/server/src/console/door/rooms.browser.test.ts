// One journey per room in a real browser: actions arrive, and untrusted text stays text.

import { join } from 'node:path';
import { IS_LONG } from '@limen/testing/rounds.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '#testing/browser.ts';
import { ensurePages } from '#testing/built-pages.ts';
import { enter, expectAccessible, SCRIPT } from '#testing/console/console-visit.ts';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createListedEntity, storeList } from '#testing/screening/listed-people.ts';
import { newHost } from '#testing/session-app.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';
import { untilReady } from '#testing/until-ready.ts';
import { readBuildRecord } from '../../platform/http/pages/files.ts';

let app: TestApp;
let address: string;

beforeAll(async () => {
  if (!chromiumPath) return;
  await ensurePages('console');
  const storage = await createTestDatabase();
  const entry = createListedEntity('inv-1', `Torvald ${SCRIPT}`, '1961-04-09', { programs: [SCRIPT] });
  await storeList(storage.dataDir, 'invented', [entry], SCRIPT);
  app = await startTestApp({ database: storage, environment: { SERVE: 'core,node,console' }, atEnd: afterAll });
  await untilReady(app);
  afterAll(storage.dispose);
  address = await app.listen();
  const { apiKey } = await app.apiKeys.create({ kind: 'live', label: SCRIPT, clientCredentials: false });
  const payload = { reference: SCRIPT, schema: 'Person', name: `Torvald ${SCRIPT}`, dataset: 'invented' };
  await app.http.inject({ method: 'POST', url: '/v2/screening/subjects', headers: { 'x-api-key': apiKey }, payload });
  while ((await app.jobs.runDue()) > 0);
  const host = await newHost(app, 'test', SCRIPT);
  for (const flag of ['LIGHT_NOT_AS_DRAWN', 'LIGHT_NOT_AS_DRAWN']) {
    const { body } = await host.create();
    await host.simulate(body.token, { outcome: 'above', flags: [flag] });
  }
});

/** Presses keys without waiting, because the second key of a pair must follow within a second. */
const press = (page: Page, ...keys: string[]) => Promise.all(keys.map((key) => page.keyboard.press(key)));

/** Finds placeholders wider than their fields; runs in the page. */
function findCutHints(): string[] {
  // biome-ignore lint/suspicious/noExplicitAny: the page's document, which this side has no types for
  const { document, getComputedStyle } = globalThis as any;
  const fields = [...document.querySelectorAll('input[placeholder]')];
  const pen = document.createElement('canvas').getContext('2d');
  return fields
    .filter((field) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(field);
      pen.font = font;
      const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
      return pen.measureText(field.placeholder).width > room;
    })
    .map((field) => field.placeholder);
}

/** Sides on which the navigation bar fades, for this writing direction; runs in the page. */
function findFadedEdges(direction: string): string[] {
  // biome-ignore lint/suspicious/noExplicitAny: the page's document, which this side has no types for
  const { document, Event, dispatchEvent } = globalThis as any;
  document.documentElement.dir = direction;
  dispatchEvent(new Event('resize'));
  const bar = document.querySelector('header nav');
  return ['left', 'right'].filter((side) => bar.hasAttribute(`data-more-${side}`));
}

describe.skipIf(!chromiumPath)('the console', () => {
  it('takes, discusses and decides cases by keyboard, and counts them in the overview', async () => {
    const { page, complaints } = await enter({ app, address }, 'admin', 'Rita');
    await press(page, 'g', 'r');
    await page.getByLabel('About').selectOption('session');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
    expect(page.url()).toBe(`${address}/console#/review?kind=session`);
    await expectAccessible(page);
    await page.locator('h1').click();
    await page.route('**/review/reviewers', () => {}, { times: 1 }); // the list of reviewers never arrives
    await press(page, 'j', 'Enter');
    await page.getByRole('heading', { name: 'Session that ended with REVIEW' }).waitFor();
    await press(page, 't');
    await page.getByText('took the case').waitFor();
    await page.getByLabel('Comment', { exact: true }).fill(SCRIPT);
    await press(page, 'Control+Enter');
    await page.locator('.said').getByText('onerror').waitFor();
    await page.locator('h1').click();
    await expectAccessible(page);
    const first = page.url();
    await press(page, '1');
    await page.getByLabel('Reason').fill('The lamp behind her.');
    await press(page, 'Control+Enter');
    await expect.poll(() => page.url()).not.toBe(first); // on to the next case
    await page.getByText('Saved: allowed. This is the next case.').waitFor();
    await page.getByRole('button', { name: 'Take', exact: true }).waitFor(); // the page is ready for keys
    await press(page, 'k');
    await page.getByText('Rita decided: allowed.').waitFor();

    await page.goto(`${address}/console#/review?kind=hit`);
    await page.locator('tbody tr a').first().click();
    await page.getByText('before you decide').waitFor();
    const clear = page.getByRole('button', { name: 'Not this subject…' });
    expect(await clear.count()).toBe(0);
    await page.getByRole('button', { name: 'Show and compare' }).click();
    await page.locator('.compared').waitFor();
    await clear.waitFor();
    await expectAccessible(page);

    await press(page, 'g', 'o');
    await page.getByText('2 sessions completed').waitFor();
    await page.getByText('As a table').first().click();
    await expectAccessible(page);
    expect([complaints, await page.title()]).toEqual([[], 'Overview · Limen console']);
  });

  it.runIf(IS_LONG)('lists webhooks that fail, and sends one or all of them again', async () => {
    const { page, complaints } = await enter({ app, address }, 'admin', 'Radia');
    const host = await newHost(app);
    for (let nth = 0; nth < 3; nth += 1) {
      const { body } = await host.create({ callback: { url: 'http://127.0.0.1:9/hook' } });
      await host.simulate(body.token, { outcome: 'above' });
    }
    const dead = { state: 'dead' as const, last_error: 'unreachable', attempts: 8, next_attempt_at: null, ended_at: 1 };
    await app.database.queries.updateTable('webhook_deliveries').set(dead).execute();
    await press(page, 'g', 'w');
    await page.getByText('3 abandoned, 0 being retried').waitFor();
    await page.getByRole('checkbox', { name: 'Select the webhook to' }).first().check();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Send 1 webhook again' }).click();
    await page.getByText('1 webhook is sent again.').waitFor();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
    await page.getByRole('button', { name: 'Send all that match again…' }).click();
    await expectAccessible(page, { seenBefore: true });
    await page.getByRole('button', { name: 'Send again', exact: true }).click();
    await page.getByText('2 webhooks are sent again.').waitFor();
    await page.getByText('Every webhook has arrived').waitFor();
    await page.getByLabel('State').selectOption('waiting');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(3);
    await page.getByRole('link', { name: 'Session', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it.runIf(IS_LONG)('screens names and files, and shows the lists', async () => {
    const { page, complaints } = await enter({ app, address }, 'admin', 'Ada');
    await press(page, 'g', 'c');
    await page.getByLabel('Name', { exact: true }).fill('Torvald img src');
    expect(await page.evaluate(findCutHints)).toEqual([]);
    await page.getByLabel('Minimum score').fill('0.5');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('heading', { name: '1 hit' }).waitFor();
    await page.getByText('As listed').click();
    await expectAccessible(page);
    expect(page.url()).toBe(`${address}/console#/screening`);

    await page.getByRole('link', { name: 'File' }).click();
    const csv = `id,firstname,lastname,dob\n${SCRIPT.replaceAll('"', '')},Torvald,img src x,1961-04-09\n`;
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    await page.getByLabel('CSV file').setInputFiles(file);
    await page.getByLabel('Minimum score').fill('0.5');
    await page.getByRole('button', { name: 'Screen the file' }).click();
    await page.getByText('1 row matches of 1 row.').waitFor();
    await expectAccessible(page);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as JSON' }).click();
    expect((await download).suggestedFilename()).toBe('screening.json');

    await page.getByRole('link', { name: 'Lists' }).click();
    await page.getByRole('rowheader', { name: 'invented' }).waitFor();
    expect([complaints, await page.title()]).toEqual([[], 'Lists, Screening · Limen console']);
  });

  it.runIf(IS_LONG)('has hits of watched subjects decided, and opened again', async () => {
    const { page, complaints } = await enter({ app, address }, 'admin', 'Ada');
    await press(page, 'g', 'c');
    await page.getByRole('link', { name: 'Watched subjects' }).click();
    await page.getByRole('button', { name: 'Show names' }).click();
    await page.getByText('Torvald <img').waitFor();
    await page.locator('h1').click();
    await press(page, 'j', 'Enter');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('button', { name: /^Not this subject…/ }).click();
    await page.getByLabel('Reason').fill(SCRIPT);
    await page.getByRole('button', { name: 'Not this subject', exact: true }).click();
    await page.getByText('by Ada').first().waitFor();
    await page.getByRole('button', { name: 'Show explanations' }).click();
    await expectAccessible(page);

    await page.getByRole('link', { name: 'Watched subjects' }).click();
    await page.getByRole('link', { name: 'Alerts' }).click();
    await page.getByText('New hit').last().waitFor();
    await page.getByRole('link', { name: 'Whitelist' }).click();
    await page.getByRole('button', { name: 'Show names' }).click();
    await page.getByText('is not Torvald').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Withdraw…/ }).click();
    await page.getByLabel('Reason').fill('Read it wrong.');
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
    await page.getByText('The whitelist is empty.').waitFor();
    expect([complaints, await page.title()]).toEqual([[], 'Whitelist, Screening · Limen console']);
  });

  it.runIf(IS_LONG)('invites, signs out and removes operators', async () => {
    const { page, complaints } = await enter({ app, address }, 'admin', 'Grace');
    await enter({ app, address }, 'reviewer', 'Barbara');
    const chosen = Promise.withResolvers<void>();
    await page.route('**/api/operators', (route) => chosen.promise.then(() => route.continue()), { times: 1 });
    await press(page, 'g', 't');
    await page.getByRole('button', { name: 'Invite…' }).click();
    await page.getByLabel('Name').fill(SCRIPT);
    await page.getByLabel('developer').check();
    chosen.resolve();
    await page.getByText('Barbara').waitFor(); // the late list does not reset the choice
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Invite with passkey' }).click();
    const link = await page.getByText(/#invite=/).textContent();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'I have sent it' }).click();
    await page.getByText('onerror').waitFor();
    await page.getByRole('button', { name: 'in 1 place: Barbara' }).click();
    await page.getByText('onerror').last().waitFor(); // the browser's name for itself
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Sign out… Barbara' }).click();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('button', { name: 'in 1 place: Barbara' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove… Barbara' }).click();
    await page.getByRole('button', { name: 'Remove with passkey' }).click();
    await page.getByRole('rowheader', { name: 'Barbara' }).waitFor({ state: 'detached' });
    await expectAccessible(page);
    expect((await app.operators.list()).map(({ name, role }) => [name, role])).toContainEqual([SCRIPT, 'developer']);
    const visitor = await page.context().browser()!.newPage();
    await visitor.goto(link!);
    await visitor.getByRole('button', { name: 'Register a passkey' }).waitFor();
    expect([complaints, await page.title(), await visitor.title()]).toEqual([
      [],
      'Operators · Limen console',
      `Welcome, ${SCRIPT} · Limen console`,
    ]);
  });

  it('finds a person, exports their data and deletes them with a receipt', async () => {
    const { apiKey } = await app.apiKeys.create({ kind: 'live', customerId: SCRIPT, clientCredentials: false });
    const embedding_vector = Array.from({ length: 128 }, (_, at) => Math.sin(at * 7) + Math.cos(at));
    const payload = { features: { type: 'face', embedding_vector } };
    const headers = { 'x-api-key': apiKey };
    const { puid } = (await app.http.inject({ method: 'POST', url: '/node/plainEnroll', headers, payload })).json();
    const { page, complaints } = await enter({ app, address }, 'admin', 'Katherine');
    await press(page, 'g', 'p');
    await page.getByLabel('Puid').fill(puid);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('onerror').waitFor();
    await expectAccessible(page);
    expect(page.url()).toBe(`${address}/console#/people`);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export as JSON' }).click();
    expect((await download).suggestedFilename()).toBe(`person-${puid}.json`);
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete with passkey' }).click();
    await page.getByText(/^eyJ/).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('No one is enrolled under this puid.').waitFor();
    expect([complaints, await page.title()]).toEqual([[], 'People and privacy · Limen console']);
  });

  it.runIf(IS_LONG)('says how the service is, and runs a dead job again', async () => {
    const job = { id: '019a8561-8a2f-7000-a5c5-3c0f8d1a2b4e', kind: SCRIPT, payload: new Uint8Array(1), run_at: 0 };
    const rest = { lease_token: null, lease_until: null, unique_key: null, last_error: SCRIPT };
    await app.database.queries
      .insertInto('jobs')
      .values({ ...job, ...rest, state: 'dead', attempts: 8, created_at: 1 })
      .execute();
    const { page, complaints } = await enter({ app, address }, 'admin', 'Dorothy');
    await press(page, 'g', 'y');
    await page.getByText(/opens all \d+ data keys/).waitFor();
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('button', { name: 'Run again' }).waitFor({ state: 'detached' });
    expect([complaints, await page.title()]).toEqual([[], 'System · Limen console']);
  });

  it.runIf(IS_LONG)('limits where the pages of a key may be embedded', async () => {
    const { page, complaints } = await enter({ app, address }, 'admin', 'Mary');
    await app.apiKeys.create({ kind: 'test', label: 'Embedded', clientCredentials: false });
    await press(page, 'g', 'k');
    await page.getByRole('button', { name: 'Sites: Embedded' }).click();
    await page.getByLabel('Sites, one per line').fill('nowhere');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be an origin').waitFor();
    await page.getByLabel('Sites, one per line').fill('https://shop.example\nhttps://app.shop.example/');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('2 sites').waitFor();
    await expectAccessible(page);
    expect([complaints, await page.title()]).toEqual([[], 'API keys · Limen console']);
  });

  it.runIf(IS_LONG)('shows passkeys in the account, and removes one that somebody has lost', async () => {
    const { page, complaints } = await enter({ app, address }, 'admin', 'Barbara');
    // Touch screens show no shortcuts.
    const { page: phone } = await enter({ app, address }, 'auditor', 'Forgetful', { isPhone: true });
    expect(await phone.locator('.by-keyboard').isVisible()).toBe(false);
    // A fade shows that more rooms follow, at the end of the writing direction.
    expect(await phone.evaluate(findFadedEdges, 'ltr')).toEqual(['right']);
    expect(await phone.evaluate(findFadedEdges, 'rtl')).toEqual(['left']);
    expect(await page.locator('.by-keyboard').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Barbara, admin' }).click();
    await page.getByText('never used').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Close' }).click();
    await press(page, 'g', 't');
    await page.getByRole('button', { name: '1 passkey: Forgetful' }).click();
    await expectAccessible(page, { seenBefore: true });
    await page.getByRole('button', { name: 'Remove with passkey' }).click();
    await page.getByRole('button', { name: '1 passkey: Forgetful' }).waitFor({ state: 'detached' });
    expect((await app.operators.list()).find(({ name }) => name === 'Forgetful')).toMatchObject({ passkeys: 0 });
    expect(complaints).toEqual([]);
  });

  it('loads less than 60 KB of script at first', () => {
    const { assets } = readBuildRecord(join(import.meta.dirname, '../../../../console/dist'))!;
    const scripts = Object.entries(assets).filter(([name]) => name.endsWith('.js'));
    const first = scripts.filter(([name]) => name.startsWith('index-'));
    expect(first).toHaveLength(1);
    expect(first[0]![1].gzip).toBeLessThan(60 * 1024);
  });
});
