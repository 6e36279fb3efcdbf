// Pure judgments of the checks, without a faulty machine.
import { describe, expect, it } from 'vitest';
import { formatBytes } from '../../../platform/files/free-space.ts';
import { OLD_KEY_MS } from '../../../signing/limits.ts';
import { judgeClock } from './clock.ts';
import { checkRuntime } from './configuration.ts';
import { judgeSpace } from './data-folder.ts';
import { judgeJobs, judgeServer } from './database.ts';
import { judgeNames, judgePasskeys, judgeValidity } from './network.ts';
import { judgeSigningKeys } from './sealing.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);
const levels = (findings: { level: string }[]) => findings.map(({ level }) => level);

const beat = (at: number, passedMs?: number) => ({ at, passedMs });
const NO_CLOCKS = { newest: undefined, heartbeat: undefined, isRunning: false, serverAheadMs: undefined };

describe('the clock', () => {
  const judge = (clocks: Partial<Parameters<typeof judgeClock>[0]>) =>
    levels(judgeClock({ now: NOW, ...NO_CLOCKS, ...clocks }));

  it('must not be before the release', () => {
    expect(judge({ now: Date.UTC(2025, 11, 31) })).toEqual(['failure']);
    expect(judge({ now: Date.UTC(2026, 0, 1) })).toEqual(['ok']);
  });

  it('must not be more than a minute before the newest row', () => {
    expect(judge({ newest: NOW + 60_000 })).toEqual(['ok']);
    expect(judge({ newest: NOW + 60_001 })).toEqual(['failure']);
  });

  it('must not be before the last heartbeat or more than a week after it', () => {
    expect([NOW + 60_000, NOW - 7 * DAY].map((at) => judge({ heartbeat: beat(at) }))).toEqual([['ok'], ['ok']]);
    const wrong = [NOW + 60_001, NOW - 7 * DAY - 1].flatMap((at) =>
      judgeClock({ now: NOW, ...NO_CLOCKS, heartbeat: beat(at) }),
    );
    expect(levels(wrong)).toEqual(['failure', 'failure']);
    for (const { remedy } of wrong) expect(remedy).toContain('limen clock confirm');
  });

  it("must have advanced as much as the machine's uptime since the last heartbeat", () => {
    expect(judge({ heartbeat: beat(NOW - 30 * DAY, 30 * DAY) })).toEqual(['ok']);
    expect(judge({ heartbeat: beat(NOW - DAY, DAY - 60_001) })).toEqual(['failure']);
  });

  it('must not be more than a week after the newest row if there is no heartbeat', () => {
    expect(judge({ newest: NOW - 7 * DAY })).toEqual(['ok']);
    expect(judge({ newest: NOW - 7 * DAY - 1 })).toEqual(['failure']);
  });

  it('must not be more than a minute after the last heartbeat of a running service', () => {
    const ran = (ago: number) => judge({ heartbeat: beat(NOW - ago), isRunning: true });
    expect([ran(60_000), ran(60_001)]).toEqual([['ok'], ['failure']]);
  });

  it("is compared with the last heartbeat by PostgreSQL's time", () => {
    const serverAheadMs = -30 * DAY;
    const [finding, ...others] = judgeClock({ now: NOW, ...NO_CLOCKS, heartbeat: beat(NOW - 30 * DAY), serverAheadMs });
    expect([finding?.found, others]).toEqual(['it is 2592000.0 s ahead of PostgreSQL’s', []]);
  });

  it.each([
    [0, 'ok'],
    [2_000, 'ok'],
    [2_001, 'warning'],
    [-2_001, 'warning'],
    [30_001, 'failure'],
    [-30_001, 'failure'],
  ])('judges %i ms of difference to PostgreSQL as %s', (serverAheadMs, level) => {
    expect(judge({ serverAheadMs })).toEqual([level]);
  });

  it('names the clock that is behind', () => {
    const found = (serverAheadMs: number) => judgeClock({ now: NOW, ...NO_CLOCKS, serverAheadMs })[0]?.found;
    expect(found(5_000)).toBe('it is 5.0 s behind PostgreSQL’s');
    expect(found(-5_000)).toBe('it is 5.0 s ahead of PostgreSQL’s');
  });
});

it('judges free space as sufficient, low or too little', () => {
  const level = (free: number) => judgeSpace('here', free).level;
  expect([2 ** 30, 2 ** 30 - 1, 100 * 2 ** 20, 100 * 2 ** 20 - 1].map(level)).toEqual([
    'ok',
    'warning',
    'warning',
    'failure',
  ]);
  expect([0, 1023, 1024, 1.5 * 2 ** 30, 2 ** 50].map(formatBytes)).toEqual([
    '0 B',
    '1023 B',
    '1.0 KiB',
    '1.5 GiB',
    '1024.0 TiB',
  ]);
});

it('requires UTF-8 from PostgreSQL and recommends a maintained version', () => {
  const server = { version: '15.4', number: 150_004, encoding: 'UTF8', isReadOnly: false };
  expect(levels(judgeServer(server))).toEqual(['ok']);
  expect(levels(judgeServer({ ...server, version: '13.20', number: 130_020 }))).toEqual(['warning']);
  expect(levels(judgeServer({ ...server, encoding: 'LATIN1' }))).toEqual(['ok', 'failure']);
  expect(levels(judgeServer({ ...server, isReadOnly: true }))).toEqual(['ok', 'failure']);
});

it('reports a newer Node as untested', () => {
  expect(checkRuntime('24.1.0').level).toBe('ok');
  expect(checkRuntime('26.0.0').level).toBe('warning');
});

it('warns two weeks before a certificate expires', () => {
  const level = (from: number, to: number) => judgeValidity(NOW + from, NOW + to, NOW).level;
  expect(level(-DAY, 14 * DAY)).toBe('ok');
  expect(level(-DAY, 14 * DAY - 1)).toBe('warning');
  expect(level(-DAY, -1)).toBe('failure');
  expect(level(1, DAY)).toBe('failure');
});

it('requires a certificate for the host of PUBLIC_URL, unless a proxy presents one', () => {
  const certificate = {
    checkHost: (name: string) => (name === 'age.example' ? name : undefined),
    checkIP: (address: string) => (address === 'fd00::2' ? address : undefined),
  };
  const judge = (url: string | undefined, proxy: boolean | string[] = false) =>
    levels(judgeNames(certificate, { PUBLIC_URL: url, TRUST_PROXY: proxy }));
  expect(judge(undefined)).toEqual([]);
  expect(judge('https://age.example/limen')).toEqual([]);
  expect(judge('https://[fd00::2]:8080')).toEqual([]);
  expect(judge('https://other.example')).toEqual(['failure']);
  expect(judge('https://192.168.1.5:8080')).toEqual(['failure']);
  expect(judge('https://other.example', ['10.0.0.40'])).toEqual([]);
  expect(judge('http://age.example')).toEqual(['warning']);
});

it('names the kinds of dead jobs', () => {
  const count = { ready: 1, running: 0 };
  expect(judgeJobs([{ kind: 'a', ...count, dead: 0 }]).level).toBe('ok');
  expect(
    judgeJobs([
      { kind: 'a', ...count, dead: 2 },
      { kind: 'b', ...count, dead: 1 },
    ]),
  ).toMatchObject({
    level: 'warning',
    found: 'dead: 2 a, 1 b',
  });
});

it('requires a host name for passkeys', () => {
  const unset = { PASSKEY_RP_ID: undefined, PASSKEY_ORIGIN: undefined, LAUNCH_URL: undefined, PUBLIC_URL: undefined };
  const at = { HOST: 'localhost', PORT: 9090, TLS_CERT: undefined };
  const level = (more: object) => judgePasskeys({ ...unset, ...at, ...more }).level;
  expect(level({})).toBe('ok');
  expect(level({ HOST: '127.0.0.1' })).toBe('warning');
  expect(judgePasskeys({ ...unset, ...at, HOST: '::1' })).toMatchObject({
    level: 'warning',
    remedy: expect.stringContaining('PUBLIC_URL=http://localhost:9090)'),
  });
  expect(level({ PUBLIC_URL: 'https://192.0.2.7' })).toBe('warning');
  expect(level({ HOST: '::1', PUBLIC_URL: 'http://localhost:8080' })).toBe('ok');
  expect(level({ PUBLIC_URL: 'https://192.0.2.7', LAUNCH_URL: 'https://check.example/launch' })).toBe('ok');
  expect(level({ PASSKEY_RP_ID: 'check.example' })).toBe('ok');
});

const KEY = { id: 'live-a', world: 'live' as const, number: 1, created_at: 0, signs_from: 0 };

it('reports ages, and recommends a new key if one is old', () => {
  expect(judgeSigningKeys([], 0)).toMatchObject([{ level: 'ok', found: expect.stringContaining('none yet') }]);
  expect(judgeSigningKeys([KEY], OLD_KEY_MS - 1)).toEqual([
    { level: 'ok', found: 'live: live-a has signed for 399 days; 0 more published' },
  ]);
  expect(judgeSigningKeys([KEY], OLD_KEY_MS)).toEqual([
    {
      level: 'warning',
      found: 'live: live-a has signed for 400 days; 0 more published',
      remedy: 'limen signing-keys rotate --world live',
    },
  ]);
});
