// Firefox through Marionette: WebDriver commands over a socket.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from './engine.ts';
import { startProcess } from './own-process.ts';
import { driveByWebDriver, SESSION_TIMEOUTS, type WebDriverCommands } from './webdriver.ts';

/** Uses a free port, written to a file, and disables Firefox's background requests. */
const PREFERENCES = {
  'marionette.port': 0,
  'app.update.disabledForTesting': true,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
  'toolkit.telemetry.reportingpolicy.firstRun': false,
};
const PORT_FILE = 'MarionetteActivePort';
const START_MS = 60_000;
const COMMANDS: Record<keyof WebDriverCommands, string> = {
  navigateTo: 'WebDriver:Navigate',
  executeAsyncScript: 'WebDriver:ExecuteAsyncScript',
  findElement: 'WebDriver:FindElement',
  elementClick: 'WebDriver:ElementClick',
  getWindowHandle: 'WebDriver:GetWindowHandle',
  newWindow: 'WebDriver:NewWindow',
  switchToWindow: 'WebDriver:SwitchToWindow',
  closeWindow: 'WebDriver:CloseWindow',
  executeScript: 'WebDriver:ExecuteScript',
  switchToFrame: 'WebDriver:SwitchToFrame',
  setWindowRect: 'WebDriver:SetWindowRect',
};

export async function startFirefox(path: string): Promise<Engine> {
  const profile = mkdtempSync(join(tmpdir(), 'limen-firefox-'));
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  writeFileSync(join(profile, 'user.js'), lines.join('\n'));
  const own = startProcess(path, ['--headless', '--marionette', '--no-remote', '--profile', profile], {
    HOME: profile,
  });
  const marionette = await connectTo(await readPort(join(profile, PORT_FILE)));
  const session = (await marionette.send('WebDriver:NewSession', {})) as {
    capabilities: { browserVersion: string };
  };
  await marionette.send('WebDriver:SetTimeouts', SESSION_TIMEOUTS);
  return driveByWebDriver({
    name: 'Firefox',
    version: session.capabilities.browserVersion,
    async send(name, params) {
      // Marionette names elements and frames differently from the standard.
      const { element, frame, ...rest } = params as { element?: string; frame?: string };
      const named = { ...(element !== undefined && { id: element }), ...(frame !== undefined && { element: frame }) };
      const reply = await marionette.send(COMMANDS[name], { ...rest, ...named });
      // Single values are wrapped.
      return reply !== null && typeof reply === 'object' && 'value' in reply ? reply.value : reply;
    },
    async end() {
      marionette.socket.destroy();
      await own.stop();
      rmSync(profile, { recursive: true, force: true });
    },
  });
}

async function readPort(path: string): Promise<number> {
  const giveUpAt = Date.now() + START_MS;
  for (;;) {
    const port = Number(await readFile(path, 'utf8').catch(() => ''));
    if (port > 0) return port;
    if (Date.now() > giveUpAt) throw new Error('Firefox did not start');
    await sleep(50);
  }
}

type Reply = [kind: 1, id: number, error: { error: string; message: string } | null, result: unknown];

/** Connects to Marionette. Messages are JSON prefixed with their length in bytes and a colon. */
async function connectTo(port: number): Promise<{
  socket: Socket;
  send(command: string, params: object): Promise<unknown>;
}> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const waiting = new Map<number, (reply: Reply) => void>();
  let received = Buffer.alloc(0);
  let id = 0;
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    const gone = { error: 'gone', message: 'Firefox has ended' };
    for (const [number, settle] of waiting) settle([1, number, gone, null]);
  });
  socket.on('data', (data) => {
    received = Buffer.concat([received, data]);
    for (let colon = received.indexOf(':'); colon > 0; colon = received.indexOf(':')) {
      const end = colon + 1 + Number(received.subarray(0, colon));
      if (received.length < end) return;
      const message: unknown = JSON.parse(received.subarray(colon + 1, end).toString());
      received = received.subarray(end);
      // The first message is a greeting.
      if (!Array.isArray(message)) continue;
      const reply = message as Reply;
      waiting.get(reply[1])?.(reply);
      waiting.delete(reply[1]);
    }
  });
  return {
    socket,
    send: (command, given) =>
      new Promise((resolve, reject) => {
        id += 1;
        const text = JSON.stringify([0, id, command, given]);
        waiting.set(id, ([, , error, result]) =>
          error ? reject(new Error(`${error.error}: ${error.message}`)) : resolve(result),
        );
        socket.write(`${Buffer.byteLength(text)}:${text}`);
      }),
  };
}
