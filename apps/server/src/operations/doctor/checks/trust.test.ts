// The doctor's findings on trusted authorities and the lists that they come from.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestIssuer } from '@limen/wallet/test-issuer';
import { expect, it, onTestFinished } from 'vitest';
import type { TrustList } from '../../../sessions/proofs/wallets/trust/lists.ts';
import type { Facts } from './check.ts';
import { checkTrust, judgeAnchors, judgeCrl, judgeLists } from './trust.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-11-16T12:00:00Z');

it('warns of authorities that have expired or expire within 30 days', async () => {
  const { anchor } = await createTestIssuer({ profile: 'mdl', now: new Date(NOW) });
  const end = anchor.certificate.notAfter.getTime();
  const own = { file: 'mdl/a.pem', list: null, anchor };
  const listed = { file: 'mdl/house.list.pem', list: 'house', anchor };
  expect(judgeAnchors([], NOW)).toEqual([{ level: 'ok', found: expect.stringContaining('no wallet is offered') }]);
  expect(judgeAnchors([own, listed], end - 31 * DAY_MS)).toEqual([{ level: 'ok', found: 'mdl (2)' }]);
  expect(judgeAnchors([own, listed], end - 30 * DAY_MS)).toMatchObject([
    { level: 'ok' },
    {
      level: 'warning',
      found: expect.stringContaining(') expires on '),
      remedy: expect.stringMatching(/limen trust remove [0-9a-f]{16}$/),
    },
    { level: 'warning', remedy: expect.stringMatching(/limen trust sync house$/) },
  ]);
  expect(judgeAnchors([own], end)).toMatchObject([
    { level: 'ok' },
    { level: 'warning', found: expect.stringContaining(') expired on ') },
  ]);
});

it('warns of lists that were not fetched for three days, or whose successor is overdue', () => {
  const at = (days: number) => new Date(NOW + days * DAY_MS).toISOString();
  const list = (checked: number, next: number | null): TrustList => ({
    name: 'house',
    profile: 'mdl',
    format: 'vical',
    url: 'https://lists.example/vical',
    provider: '',
    allowPrivate: false,
    without: [],
    checkedAt: at(checked),
    issuedAt: at(-10),
    nextUpdate: next === null ? null : at(next),
  });
  expect(judgeLists([list(-2.9, 1), list(0, null)], NOW)).toEqual([]);
  expect(judgeLists([list(-3, 1), list(-1, -0.5)], NOW)).toEqual([
    { level: 'warning', found: 'the list house was last read 3 days ago', remedy: 'limen trust sync house' },
    {
      level: 'warning',
      found: 'the list house was last read 24 hours ago, and a new one was due on 2026-11-16T00:00:00Z',
      remedy: 'limen trust sync house',
    },
  ]);
});

it('warns of revocation lists that have expired or expire within three days', () => {
  const end = new Date(NOW);
  const found = (nextUpdate: Date | null, now: number) =>
    judgeCrl(
      {
        file: 'mdl/own.crl',
        profile: 'mdl',
        bytes: new Uint8Array(),
        description: { issuer: '', name: 'CN=X', thisUpdate: new Date(NOW - 9 * DAY_MS), nextUpdate, revoked: 0 },
      },
      now,
    ).map((finding) => finding.found);
  const about = 'trust/mdl/own.crl: the list of revoked certificates';
  expect(found(end, NOW - 3 * DAY_MS - 1)).toEqual([]);
  expect(found(end, NOW - 3 * DAY_MS)).toEqual([`${about} lapses on 2026-11-16T12:00:00Z`]);
  expect(found(end, NOW)).toEqual([`${about} lapsed on 2026-11-16T12:00:00Z`]);
  expect(found(null, NOW)).toEqual([`${about} has no expiry, so it is not used`]);
});

it('names unusable files', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-doctor-trust-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  mkdirSync(join(dataDir, 'trust', 'mdl'), { recursive: true });
  mkdirSync(join(dataDir, 'trust', 'lists'));
  writeFileSync(join(dataDir, 'trust', 'mdl', 'mine.pem'), 'hello');
  writeFileSync(join(dataDir, 'trust', 'mdl', 'own.crl'), 'hello');
  writeFileSync(join(dataDir, 'trust', 'lists', 'house.json'), '[]');
  const facts = { config: { DATA_DIR: dataDir }, clock: { now: () => NOW } } as unknown as Facts;
  expect(await checkTrust(facts)).toMatchObject([
    { level: 'ok' },
    { level: 'warning', found: 'trust/mdl/mine.pem: The file contains no certificate' },
    { level: 'warning', found: 'trust/mdl/own.crl: The file contains no certificate revocation list' },
    { level: 'warning', found: 'trust/lists/house.json: The file does not describe a list' },
  ]);
});
