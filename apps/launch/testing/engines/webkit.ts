// GNOME's WebKit, the nearest available engine to Safari: its MiniBrowser on a virtual screen,
// through WebDriver.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { findMiniBrowser } from '../../../../scripts/system-packages.ts';
import { freePort } from '../../../../testing/postgres-cluster.ts';
import type { Engine } from './engine.ts';
import { startProcess } from './own-process.ts';
import { driveByWebDriver, ELEMENT, SESSION_TIMEOUTS, type WebDriverCommands } from './webdriver.ts';

const SCREEN = ['-screen', '0', '1280x1600x24', '-nolisten', 'tcp'];
const START_MS = 60_000;
/** Paths below the session; `*` stands for the element. */
const COMMANDS: Record<keyof WebDriverCommands, string> = {
  navigateTo: 'url',
  executeAsyncScript: 'execute/async',
  findElement: 'element',
  elementClick: 'element/*/click',
  getWindowHandle: 'window',
  newWindow: 'window/new',
  switchToWindow: 'window',
  closeWindow: 'window',
  executeScript: 'execute/sync',
  switchToFrame: 'frame',
  setWindowRect: 'window/rect',
};
/** Methods other than POST. */
const METHODS: Partial<Record<keyof WebDriverCommands, 'GET' | 'DELETE'>> = {
  getWindowHandle: 'GET',
  closeWindow: 'DELETE',
};

export async function startWebKit(path: string): Promise<Engine> {
  const screen = startProcess('Xvfb', ['-displayfd', '1', ...SCREEN]);
  const [display] = (await once(screen.child.stdout!, 'data')) as [Buffer];
  const port = await freePort();
  const driver = startProcess(path, ['--host=127.0.0.1', `--port=${port}`], {
    DISPLAY: `:${display.toString().trim()}`,
    GDK_BACKEND: 'x11',
  });
  const url = `http://127.0.0.1:${port}`;
  await waitFor(`${url}/status`);
  const binary = findMiniBrowser();
  const args = ['--automation', '--enable-media-stream=true'];
  const { sessionId, capabilities } = (await ask(`${url}/session`, 'POST', {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': { binary, args }, timeouts: SESSION_TIMEOUTS } },
  })) as { sessionId: string; capabilities: { browserVersion: string } };
  const session = `${url}/session/${sessionId}`;
  return driveByWebDriver({
    name: 'WebKit',
    version: capabilities.browserVersion,
    send(name, params) {
      const { element = '', frame, ...rest } = params as { element?: string; frame?: string };
      const address = `${session}/${COMMANDS[name].replace('*', element)}`;
      const method = METHODS[name] ?? 'POST';
      const body = frame === undefined ? rest : { id: { [ELEMENT]: frame } };
      return ask(address, method, method === 'POST' ? body : undefined);
    },
    async end() {
      await ask(session, 'DELETE').catch(() => undefined);
      await driver.stop();
      await screen.stop();
    },
  });
}

async function ask(url: string, method: 'POST' | 'GET' | 'DELETE', body?: object): Promise<unknown> {
  const reply = await fetch(url, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
  const { value } = (await reply.json()) as { value: { error?: string; message?: string } | null };
  if (!reply.ok) throw new Error(`${value?.error}: ${value?.message}`);
  return value;
}

async function waitFor(url: string): Promise<void> {
  const giveUpAt = Date.now() + START_MS;
  while (!(await fetch(url).catch(() => undefined))?.ok) {
    if (Date.now() > giveUpAt) throw new Error('WebKitWebDriver did not start');
    await sleep(50);
  }
}
