// A check in a host's page through the SDK's element, and the limits of a hostile page.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { IS_LONG, onlyWhenLong } from '@limen/testing/rounds.ts';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type InstalledSdk, installSdkOnce } from '../../../packages/sdk/testing/installed-sdk.ts';
import { freePort } from '../../../testing/postgres-cluster.ts';
import { chromiumPath, launchBrowser } from '../../server/testing/browser.ts';
import { openEmbedding } from '../testing/embedding/embedded-check.ts';
import { PATIENCE_MS } from '../testing/journeys/journey-steps.ts';

const BACK = 'https://shop.example/back';
/** Longer than the element waits for an answer. */
const SILENCE_MS = 60_000;

const sdk = onlyWhenLong(installSdkOnce, () => () => ({}) as InstalledSdk)();

describe.skipIf(!chromiumPath)('a check in a host’s page', async () => {
  const { site, stranger, embed, service } = await openEmbedding(afterAll);

  it('sizes itself, reports its step, and never navigates its frame', async () => {
    const { page, frame, events, hears } = await embed({ session: { redirectUrl: BACK } });
    await frame.getByRole('button', { name: 'Start' }).click();
    await page.waitForFunction('heard.some(([, detail]) => detail?.step === "camera")');
    const room = await frame.locator('.page').evaluate((element) => element.scrollHeight);
    await expect
      .poll(() => page.evaluate('check.shadowRoot.querySelector("iframe").clientHeight'), { timeout: PATIENCE_MS })
      .toBe(room);
    const address = page.frames()[1]?.url();
    await frame.getByRole('button', { name: 'Cancel' }).click();
    await frame.getByRole('button', { name: 'Yes, cancel' }).click();
    await hears('cancelled');
    await frame.getByRole('button', { name: 'Back to the site' }).click();
    await hears('close');
    expect((await events()).filter(([type]) => type !== 'resize')).toEqual([
      ['ready', null],
      ['step', { step: 'welcome' }],
      ['step', { step: 'camera' }],
      ['cancelled', null],
      ['close', null],
    ]);
    expect([page.url(), page.frames()[1]?.url()]).toEqual([`${site.url}/`, address]);
  });

  it('opens in a modal dialog, confirms before closing, and removes the page with it', async () => {
    const { page, frame, events, requests } = await embed({ attributes: 'mode="modal" locale="en" title="Check"' });
    await page.evaluate('check.open()');
    await frame.getByRole('button', { name: 'Start' }).waitFor();
    expect(requests.filter((url) => url.includes('/launch?'))).toHaveLength(1);
    expect(await page.frames()[1]?.evaluate('document.hasFocus()')).toBe(true);
    const close = page.getByRole('button', { name: 'Close' }).first();
    for (let presses = 0; presses < 2; presses += 1) {
      await close.click();
      await frame.getByRole('button', { name: 'No, go on' }).click();
      await frame.locator('dialog:not([open])').waitFor({ state: 'attached' });
    }
    // A new language loads another page in the same dialog.
    await page.evaluate("check.locale = 'de'");
    await frame.getByRole('button', { name: 'Starten' }).waitFor();
    expect(await page.getByRole('dialog', { name: 'Check' }).count()).toBe(1);
    await page.evaluate('check.close()');
    expect((await events()).filter(([type]) => type === 'close')).toEqual([['close', null]]);
    await expect.poll(() => page.frames().length).toBe(1);
  });

  it.runIf(IS_LONG)('returns control to the host once its dialog is closed', async () => {
    const { page, frame } = await embed({ attributes: 'mode="modal"' });
    await page.evaluate('check.open()');
    await frame.getByRole('button', { name: 'Start' }).click();
    await frame.locator('[data-screen="permission"]').waitFor();
    await page.evaluate('check.close()');
    await page.goBack();
    expect(page.url()).toBe('about:blank');
  });

  it.runIf(IS_LONG)('leaves the redirect to the host while it is shown', async () => {
    const { page, frame } = await embed();
    await frame.getByRole('button', { name: 'Start' }).click();
    await frame.locator('[data-screen="permission"]').waitFor();
    await page.goBack();
    expect(page.url()).toBe('about:blank');
  });

  it.runIf(IS_LONG)('reports to the console if the service does not answer', async () => {
    const { page, hears, complaints } = await embed({
      around: `<script>check.setAttribute('launch-url', 'http://127.0.0.1:${await freePort()}/launch?sessionId=x');
        const other = check.cloneNode(); other.addEventListener('error', () => heard.push(['error'])); check.replaceWith(other)</script>`,
      prepare: ({ clock }) => clock.install(),
    });
    await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
    await page.clock.fastForward(SILENCE_MS);
    await hears('error');
    expect(complaints.join()).toContain('does not answer at http://127.0.0.1');
    await expect.poll(() => page.frames().length).toBe(1);
    expect(page.url()).toBe(`${site.url}/`);
  });

  it.runIf(IS_LONG)('shows that it did not load in a frame without an origin', async () => {
    const { page, launchUrl } = await embed();
    site.show(`<iframe sandbox="allow-scripts" src="${launchUrl}" width="600" height="900"></iframe>`);
    await page.goto(site.url);
    await page.frameLocator('iframe').getByText('This page did not load').waitFor();
  });

  it.runIf(IS_LONG)('adopts properties set before the definition, and stays open when moved', async () => {
    const { page, launchUrl } = await embed({ attributes: 'mode="modal"' });
    site.show('<div id="place"></div>');
    await page.goto(site.url);
    await page.evaluate(`(async () => {
      const { LimenCheckElement } = await import('/sdk/element.ts');
      const late = document.createElement('x-late');
      Object.assign(late, { launchUrl: '${launchUrl}', mode: 'modal' });
      document.body.append(late);
      customElements.define('x-late', class extends LimenCheckElement {});
      window.check = late;
      late.open();
      place.append(late);
    })()`);
    await page.frameLocator('x-late iframe').getByRole('button', { name: 'Start' }).waitFor();
    expect(await page.evaluate("[check.getAttribute('mode'), check.shadowRoot.querySelector('dialog').open]")).toEqual([
      'modal',
      true,
    ]);
  });

  it.runIf(IS_LONG)('opens in a new window if the host denies frames the camera', async () => {
    const { page, frame, hears, launchUrl } = await embed({
      headers: { 'permissions-policy': 'camera=(self)' },
    });
    await hears('error');
    await frame.getByRole('button', { name: 'Start' }).click();
    await frame.getByText('The camera cannot be used here').first().waitFor();
    const opened = page.context().waitForEvent('page');
    await frame.getByRole('link', { name: 'Open in its own window' }).click();
    await (await opened).waitForURL(launchUrl);
    // The check has not started in the frame, so it can start in the window.
    await (await opened).getByRole('button', { name: 'Start' }).click();
    await (await opened).locator('[data-screen="permission"]').waitFor();
  });

  it.runIf(IS_LONG)('navigates the window if the host asks for it', async () => {
    const { page, frame } = await embed({ attributes: 'redirect', session: { redirectUrl: BACK } });
    await page.route(`${BACK}*`, (route) => route.fulfill({ body: 'back' }));
    await frame.getByRole('button', { name: 'I do not want to do this' }).click();
    await frame.getByRole('button', { name: 'Yes, cancel' }).click();
    await frame.getByRole('button', { name: 'Back to the site' }).click();
    await page.waitForURL(`${BACK}*`);
  });

  it.runIf(IS_LONG)('shows a link if a plain frame may not navigate the window', async () => {
    const { page, launchUrl } = await embed({ session: { redirectUrl: BACK } });
    const rights = 'allow-scripts allow-same-origin allow-popups';
    site.show(`<iframe sandbox="${rights}" src="${launchUrl}" width="600" height="900"></iframe>`);
    await page.context().route(`${BACK}*`, (route) => route.fulfill({ body: 'back' }));
    await page.goto(site.url);
    const frame = page.frameLocator('iframe');
    await frame.getByRole('button', { name: 'I do not want to do this' }).click();
    await frame.getByRole('button', { name: 'Yes, cancel' }).click();
    await frame.getByRole('button', { name: 'Back to the site' }).click();
    const opened = page.context().waitForEvent('page');
    await frame.getByRole('link', { name: BACK }).click();
    const next = await opened;
    await next.waitForURL(`${BACK}*`);
    expect([page.url(), await next.evaluate('opener')]).toEqual([`${site.url}/`, null]);
  });

  it.runIf(IS_LONG)(
    'is a dialog that traps the focus, confirms on Escape, and uses the element’s language',
    async () => {
      const { page, frame, hears, events } = await embed({
        attributes: 'mode="modal" locale="ar"',
        around: '<button>Outside</button>',
        context: { reducedMotion: 'reduce' },
      });
      await page.evaluate('check.preload()');
      await hears('ready');
      expect(await page.getByRole('dialog').count()).toBe(0);
      await page.evaluate('check.open()');
      const dialog = page.getByRole('dialog', { name: 'التحقق من العمر' });
      expect(await dialog.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
      expect(await dialog.evaluate((element) => getComputedStyle(element).animationName)).toBe('none');
      const outside = page.getByRole('button', { name: 'Outside', includeHidden: true });
      for (let presses = 0; presses < 12; presses += 1) {
        await page.keyboard.press('Tab');
        expect(await outside.evaluate((element) => element.matches(':focus'))).toBe(false);
      }
      // Nothing of the dialog covers the frame, which would prevent the check.
      await frame.locator('.button').first().click();
      await frame.locator('[data-screen="permission"]').waitFor();
      // From inside the frame, and from the button next to it, whose keys the frame does not
      // receive.
      await frame.locator('h1').first().focus();
      await page.keyboard.press('Escape');
      await frame.locator('dialog[open]').waitFor();
      await page.keyboard.press('Escape');
      await frame.locator('dialog:not([open])').waitFor({ state: 'attached' });
      await dialog.locator('button').focus();
      await page.keyboard.press('Escape');
      await frame.locator('dialog[open] button').last().click();
      await hears('cancelled');
      await dialog.locator('button').click();
      await hears('close');
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect((await events()).at(-1)).toEqual(['close', null]);
    },
  );

  it.runIf(IS_LONG)('works in the host program of the documentation', async () => {
    const page = await (await launchBrowser()).newPage();
    await page.goto(await startDocumentedHost());
    await page.getByRole('button', { name: 'Check my age' }).click();
    await page.frameLocator('limen-check iframe').getByRole('button', { name: 'Start' }).click();
    await page.frameLocator('limen-check iframe').locator('[data-screen="permission"]').waitFor();
  });

  /**
   * Runs the program of docs/embedding.md with the built SDK, on the address that the key names.
   */
  async function startDocumentedHost(): Promise<string> {
    const [, program = ''] = /^```js\n(.*?)^```$/ms.exec(readFileSync('docs/embedding.md', 'utf8')) ?? [];
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const env = {
      PORT: String(port),
      LIMEN_URL: service.url,
      LIMEN_KEY: await service.createKey([url]),
    };
    const child = spawn(process.execPath, [sdk().write('host.mjs', program)], { env });
    onTestFinished(() => void child.kill());
    await once(child.stdout, 'data');
    return url;
  }

  describe('in a hostile page', () => {
    it('clickjacking, wrong parent: a site that the key does not name shows nothing, and the console shows why', async () => {
      const { page, hears, events, complaints } = await embed({
        on: stranger,
        prepare: ({ clock }) => clock.install(),
      });
      await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
      await page.clock.fastForward(SILENCE_MS);
      await hears('error');
      expect(await events()).toEqual([['error', { code: 'no_handshake' }]]);
      expect(complaints.join()).toContain(`limen keys embed ID ${stranger.url}`);
      // The browser's error page was never visible and is removed.
      await expect.poll(() => page.frames().length).toBe(1);
    });

    it.runIf(IS_LONG)('offers a link if the embedding page is itself in a frame of an unnamed site', async () => {
      const { page, launchUrl, frame } = await embed();
      await frame.getByRole('button', { name: 'Start' }).waitFor();
      site.show(`<limen-check launch-url="${launchUrl}"></limen-check>`);
      stranger.show(`<iframe src="${site.url}" width="600" height="900"></iframe>`);
      await page.clock.install();
      await page.goto(stranger.url);
      await expect.poll(() => page.frames()[2]?.url()).toMatch(/^chrome-error:/);
      await page.clock.fastForward(SILENCE_MS);
      const opened = page.context().waitForEvent('page');
      await page.frameLocator('iframe').locator('limen-check').getByRole('link').click();
      await (await opened).waitForURL(launchUrl);
    });

    it.runIf(IS_LONG)('opens in a new window if it may not be framed', async () => {
      const { page, launchUrl } = await embed({
        on: stranger,
        around: '<script>check.replaceWith(check.cloneNode())</script>',
        prepare: ({ clock }) => clock.install(),
      });
      await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
      await page.clock.fastForward(SILENCE_MS);
      await page.waitForURL(launchUrl);
      await page.getByRole('button', { name: 'Start' }).waitFor();
    });

    it.runIf(IS_LONG)(
      'message forgery, port theft, double handshake: other frames can neither impersonate nor reach it',
      async () => {
        stranger.show(`<script>
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => { document.title = 'a port was taken'; };
        parent.frames[0].postMessage({ limen: 'connect', mode: 'inline' }, '*', [port2]);
        parent.postMessage({ type: 'ended', redirectUrl: null }, '*');
        parent.postMessage({ limen: 'hello' }, '*');
      </script>`);
        const { page, frame, events, hears } = await embed();
        await hears('ready');
        await page.evaluate(
          `document.body.append(Object.assign(document.createElement('iframe'), { src: '${stranger.url}' }))`,
        );
        // A second port from the host's own page that is not the element's.
        const second = page.evaluate(`new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => resolve(data);
        port1.addEventListener('close', () => resolve('closed'));
        frames[0].postMessage({ limen: 'connect', mode: 'inline' }, '*', [port2]);
        setTimeout(() => resolve('silent'), 1_500);
      })`);
        expect(await second).not.toMatchObject({ type: 'connected' });
        expect(await page.frames().at(-1)?.title()).toBe('Shop');
        expect((await events()).map(([type]) => type)).not.toContain('ended');
        // The first port still works.
        await frame.getByRole('button', { name: 'Start' }).click();
        await page.waitForFunction('heard.some(([, detail]) => detail?.step === "camera")');
      },
    );

    it.runIf(IS_LONG)(
      'port theft, navigation of the frame: the new document gets neither port nor camera',
      async () => {
        stranger.show(`<script>
        addEventListener('message', ({ ports }) => { document.title = 'ports: ' + ports.length; });
        document.title = 'camera: ' + document.featurePolicy.allowsFeature('camera');
        parent.postMessage({ limen: 'hello' }, '*');
      </script>`);
        const { page, hears, events } = await embed({ prepare: ({ clock }) => clock.install() });
        await hears('ready');
        const loaded = page.waitForEvent('framenavigated');
        await page.evaluate(`check.shadowRoot.querySelector('iframe').contentWindow.location = '${stranger.url}'`);
        await loaded;
        await page.waitForLoadState('networkidle');
        expect(await page.frames()[1]?.title()).toBe('camera: false');
        await page.clock.fastForward(SILENCE_MS);
        await hears('error');
        expect((await events()).at(-1)).toEqual(['error', { code: 'no_handshake' }]);
      },
    );

    it.each([
      [
        'overlay over the consent text',
        '<p id="over" style="position:fixed;inset:0 0 55% 0;background:#fff">Win a prize!</p>',
      ],
      ...onlyWhenLong(
        [
          ['clickjacking: a nearly invisible frame', '<style>limen-check { opacity: 0.02 }</style>'],
          [
            'clipping to the button and a few pixels of the text',
            '<style>limen-check { display: block; height: 20rem; overflow: hidden; contain: paint } limen-check::part(frame) { height: 70rem !important; margin-top: -42rem }</style>',
          ],
        ],
        [],
      ),
    ])('%s: does not start the check', async (_, around) => {
      const { page, frame, hears, events, launchUrl } = await embed({ around });
      await hears('ready');
      await frame.getByRole('button', { name: 'Start' }).click();
      await hears('error');
      expect(await events()).toContainEqual(['error', { code: 'covered' }]);
      expect(await frame.getByRole('link', { name: 'Open in its own window' }).getAttribute('href')).toBe(launchUrl);
      expect(await frame.locator('[data-screen]').getAttribute('data-screen')).toBe('welcome');
      await page.evaluate("document.querySelectorAll('#over, style').forEach((one) => one.remove())");
      await frame.getByRole('button', { name: 'Start' }).click();
      await frame.locator('[data-screen="permission"]').waitFor();
    });
  });
});
