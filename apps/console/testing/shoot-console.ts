// Takes screenshots of every room, on a service filled with demo activity: on a light desktop,
// on a dark phone, and in right-to-left layout.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, Page } from 'playwright-core';
import { addAuthenticator } from '../../../testing/add-authenticator.ts';

const SERVER = join(import.meta.dirname, '../../server/bin');
const DAYS = 8;
const LOOKS = {
  desktop: { viewport: { width: 1280, height: 800 }, colorScheme: 'light', direction: 'ltr' },
  phone: {
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
    colorScheme: 'dark',
    direction: 'ltr',
  },
  turned: { viewport: { width: 1280, height: 800 }, colorScheme: 'light', direction: 'rtl' },
} as const;
/** Address of each room, and the steps before its screenshot. */
const ROOMS: Record<string, { at: string; before?: (page: Page) => Promise<unknown> }> = {
  overview: { at: '#/overview?days=7' },
  review: { at: '#/review' },
  case: { at: '#/review', before: openFirst },
  sessions: { at: '#/sessions' },
  session: { at: '#/sessions?recommendation=REVIEW', before: openFirst },
  screening: { at: '#/screening', before: searchName },
  subjects: { at: '#/screening/subjects' },
  subject: { at: '#/screening/subjects?hits=open', before: openFirst },
  lists: { at: '#/screening/lists' },
  people: { at: '#/people' },
  keys: { at: '#/keys' },
  audit: { at: '#/audit' },
  operators: { at: '#/operators' },
  system: { at: '#/system' },
};

interface ShootOptions {
  browser: Browser;
  folder: string;
  only(name: string): boolean;
}

/** Writes `console-{room}.{look}.png` files and returns their number. */
export async function shootConsole({ browser, folder, only }: ShootOptions): Promise<number> {
  const wanted = Object.entries(ROOMS).filter(([room]) => only(`console-${room}`));
  if (wanted.length === 0) return 0;
  await mkdir(folder, { recursive: true });
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-console-'));
  const environment = {
    // `test` mode loads no face models; no room shows them.
    NODE_ENV: 'test',
    DATA_DIR: dataDir,
    PORT: '0',
    SERVE: 'core,console',
    LOG_LEVEL: 'warn',
  };
  let service: ChildProcess | undefined;
  try {
    const filling = ['scripts/run.js', 'tools/main.ts', 'demo-data', '--days', String(DAYS)];
    const { status } = spawnSync(process.execPath, filling, {
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) throw new Error('demo-data failed');
    service = spawn(process.execPath, [join(SERVER, 'start.js')], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const invite = await findInvite(service);
    return await shootAll(browser, folder, invite, wanted);
  } finally {
    const ended = service && new Promise((resolve) => service?.once('exit', resolve));
    service?.kill('SIGTERM');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Invite link printed at the first start. */
async function findInvite(service: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: service.stdout! })) {
    const link = /https?:\S+#invite=[\w-]+/.exec(line)?.[0];
    if (link !== undefined) {
      service.stdout!.resume();
      return link;
    }
  }
  throw new Error('the service ended before it printed a link for the first operator');
}

async function shootAll(
  browser: Browser,
  folder: string,
  invite: string,
  rooms: [string, (typeof ROOMS)[string]][],
): Promise<number> {
  const first = await browser.newPage();
  await addAuthenticator(first);
  await first.goto(invite);
  await first.getByRole('button', { name: 'Register a passkey' }).click();
  await first.getByRole('navigation').waitFor();
  const storageState = await first.context().storageState();
  let count = 0;
  for (const [look, { direction, ...options }] of Object.entries(LOOKS)) {
    const page = await browser.newPage({ ...options, storageState, reducedMotion: 'reduce' });
    for (const [room, { at, before }] of rooms) {
      await page.goto(`${invite.split('#')[0]}${at}`);
      await page.reload();
      await page.evaluate((dir) => document.documentElement.setAttribute('dir', dir), direction);
      await page.locator('h1').waitFor();
      await page.waitForLoadState('networkidle');
      await before?.(page);
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: join(folder, `console-${room}.${look}.png`), fullPage: true });
      count += 1;
    }
    await page.close();
  }
  await first.close();
  return count;
}

async function openFirst(page: Page): Promise<void> {
  await page.locator('tbody tr a').first().click();
  await page.locator('main h2').first().waitFor();
}

async function searchName(page: Page): Promise<void> {
  await page.getByRole('searchbox').fill('Anselme de la Houssiniere');
  await page.keyboard.press('Enter');
  await page.getByText('Anselme de la Houssinière').first().waitFor();
}
