// `npm run test-wallet` and its walk-through in docs/proofs.md, against a service that listens.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { WalletLinkReply } from '@limen/contract';
import { type ProfileId, writeAnchor } from '@limen/wallet';
import { createTestIssuer } from '@limen/wallet/test-issuer';
import { makeSignerFiles } from '@limen/wallet/testing/make-signer.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../apps/server/testing/database/test-database.ts';
import { newDevice, type TestDevice } from '../../apps/server/testing/device.ts';
import { runLimenHere } from '../../apps/server/testing/run-limen.ts';
import { type Host, newHost } from '../../apps/server/testing/session-app.ts';
import { startTestApp, type TestApp } from '../../apps/server/testing/test-app.ts';
import { runToolHere } from '../testing/run-tool-here.ts';

const WALLET = { acceptedProofs: ['wallet'], ageThreshold: 18 };
const ends: (() => Promise<void>)[] = [];
let storage: TestDatabase;
let app: TestApp;
let address: string;
let host: Host;

beforeAll(async () => {
  storage = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'limen-test-wallet-'));
  const files = { WALLET_CERT: join(folder, 'cert.pem'), WALLET_KEY: join(folder, 'key.pem') };
  const { certificate, key } = await makeSignerFiles({ host: 'localhost' });
  writeFileSync(files.WALLET_CERT, certificate);
  writeFileSync(files.WALLET_KEY, key);
  app = await startTestApp({
    database: storage,
    environment: { SERVE: 'core,launch', ...files },
    atEnd: (end) => ends.push(end),
  });
  address = await app.listen();
  host = await newHost(app);
  ends.push(
    () => storage.dispose(),
    async () => rmSync(folder, { recursive: true }),
  );
});
afterAll(async () => {
  for (const end of ends) await end();
});

interface Page {
  device: TestDevice;
  id: string;
}

async function openPage(launchUrl: string): Promise<Page> {
  const id = new URL(launchUrl).searchParams.get('sessionId') ?? '';
  const device = await newDevice(app.http);
  await device.claim(id);
  return { device, id };
}

/** The page's QR code link, and the link for the phone itself. */
async function askForLinks({ device, id }: Page) {
  const { body } = await device.call<WalletLinkReply>('POST', id, 'wallet/link', { body: { sameDevice: true } });
  const linkOf = (profile: ProfileId) => body.links.find((link) => link.profile === profile)!.link;
  return { linkOf, sameDeviceLink: body.links[0]!.sameDeviceLink! };
}

async function open(by = host) {
  const { token, launchUrl } = (await by.create(WALLET)).body;
  const page = await openPage(launchUrl);
  return { result: async () => (await by.result(token)).body, ...page, ...(await askForLinks(page)) };
}

const play = (...args: string[]) => runToolHere('test-wallet', args, storage.environment);

describe('test-wallet', () => {
  it.each<[ProfileId, string]>([
    ['eu_age', 'eu.europa.ec.av.1'],
    // Fetches signed requests from the URL in the link.
    ['mdl', 'org.iso.18013.5.1.mDL'],
  ])('answers a code for %s, which ends the session', async (profile, docType) => {
    const { linkOf, result } = await open();
    expect(linkOf(profile).includes('request_uri=')).toBe(profile === 'mdl');
    const { code, stdout, stderr } = await play(linkOf(profile));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').slice(0, -1)).toEqual([
      `Asked by ${new URL(address).host} for age_over_18 (${profile}, ${docType}).`,
      'Sent: age_over_18 is true; signed by this service’s test issuer, and nothing else.',
      'The service took it. The page that shows the code goes on by itself.',
    ]);
    expect(await result()).toMatchObject({ flowStatus: 'COMPLETED', result: { source: 'wallet' } });
    // Only once.
    expect(await play(linkOf(profile))).toMatchObject({ code: 1, stderr: expect.stringContaining('404') });
  });

  it('is refused for a person who is too young, and the page offers the other steps', async () => {
    const { linkOf, result, device, id } = await open();
    const { code, stdout, stderr } = await play(linkOf('eu_age'), '--age', '17');
    expect(stdout).toContain('Sent: age_over_18 is false;');
    expect([code, stderr]).toEqual([1, expect.stringContaining('The service did not take it: 400, “The answer')]);
    expect((await device.view(id)).body.walletLinkRefused).toBe('no_age');
    expect(await result()).not.toHaveProperty('flowStatus');
  });

  it('declines, and the page offers the other steps', async () => {
    const { linkOf, result, device, id } = await open();
    const { code, stdout } = await play(linkOf('mdl'), '--decline');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Sent: nothing.*\n.* leads back to the other ways\.\n$/)]);
    expect((await device.view(id)).body.walletLinkRefused).toBe('declined');
    expect(await result()).not.toHaveProperty('flowStatus');
  });

  it('prints the redirect of a same-device link, which alone ends the session', async () => {
    const { sameDeviceLink, result, device, id } = await open();
    const { stdout } = await play(sameDeviceLink);
    const responseCode = /\nhttp\S+#response_code=(\S+)\n$/.exec(stdout)?.[1];
    expect(await result()).not.toHaveProperty('flowStatus');
    const finished = await device.call('POST', id, 'wallet/link/finish', { body: { responseCode } });
    expect(finished.body).toMatchObject({ outcome: 'accepted' });
  });

  it('is refused by the session of a live key', async () => {
    // Without a trusted issuer, no wallet would be requested.
    const { anchor } = await createTestIssuer({ profile: 'eu_age', now: new Date(), country: 'XX' });
    const file = join(storage.dataDir, 'root.pem');
    writeFileSync(file, writeAnchor(anchor));
    await runLimenHere(['trust', 'add', 'eu_age', file], { environment: storage.environment });
    const live = await newHost(app, 'live');
    await expect.poll(() => offeredBy(live)).toContain('wallet');
    const { linkOf, result, device, id } = await open(live);
    expect(await play(linkOf('eu_age'))).toMatchObject({ code: 1, stderr: expect.stringContaining('400') });
    expect((await device.view(id)).body.walletLinkRefused).toBe('not_trusted');
    expect(await result()).not.toHaveProperty('flowStatus');
  });

  it.each([
    ['https://shop.example', 2, 'begins with av:// or openid4vp://'],
    ['av://?client_id=x', 1, 'not whole'],
    ['av://?request_uri=http%3A%2F%2F127.0.0.1%3A9%2F', 1, 'cannot be reached'],
  ])('rejects %s', async (link, code, sentence) => {
    expect(await play(link)).toMatchObject({ code, stderr: expect.stringContaining(sentence) });
  });

  it('does not create a missing database', async () => {
    const { linkOf } = await open();
    const elsewhere = { DATA_DIR: join(storage.dataDir, 'nowhere') };
    const ended = await runToolHere('test-wallet', [linkOf('eu_age')], elsewhere);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no service in DATA_DIR.') });
  });
});

async function offeredBy(by: Host): Promise<readonly string[]> {
  const { device, id } = await openPage((await by.create(WALLET)).body.launchUrl);
  return (await device.view(id)).body.asks?.proofs ?? [];
}

it('plays the walk-through of docs/proofs.md', async () => {
  const section = readFileSync('docs/proofs.md', 'utf8').split('### Simulate a wallet\n')[1] ?? '';
  const [begin = '', answers = ''] = [...section.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, block]) => block);
  const script = begin
    .replace('http://localhost:8080', address)
    .replace(/\$\(npx limen keys development\)/, host.apiKey);
  const { stdout } = await promisify(execFile)('bash', ['-c', `set -euo pipefail\n${script}`]);
  const { launchUrl, token } = JSON.parse(stdout);
  const commands = [...answers.matchAll(/^npm run test-wallet -- '[^']+'(.*?)(?: +#.*)?$/gm)];
  expect(commands).toHaveLength(3);
  const page = await openPage(launchUrl);
  const codes: number[] = [];
  // The first one ends the session.
  for (const [, options = ''] of commands.toReversed()) {
    const { linkOf } = await askForLinks(page);
    codes.push((await play(linkOf('eu_age'), ...options.split(' ').filter(Boolean))).code ?? 0);
  }
  expect(codes).toEqual([0, 1, 0]);
  expect((await host.result(token)).body).toMatchObject({ result: { source: 'wallet' } });
});
