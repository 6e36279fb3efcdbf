// Fetching and caching lists of revoked certificates, from an issuer on this machine.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { IS_LONG } from '@limen/testing/rounds.ts';
import { createRequest, describeCrl, type RevocationReference, verifyResponse } from '@limen/wallet';
import { answerRequest, createTestIssuer, issueAttestation, type TestIssuer } from '@limen/wallet/test-issuer';
import { type CrlOptions, makeCrl, pointOf, serialOf } from '@limen/wallet/testing/make-crl.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import type { Outbound } from '../../../platform/outbound/guarded-fetch.ts';
import { createIssuerOutbound, ListCache, type RevocationChecks, RevocationLists } from './revocation-lists.ts';
import type { StoredCrl } from './trust/folder.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let server: Server;
let address: string;
let outbound: Outbound;
let clock: ManualClock;
let issuer: TestIssuer;
let references: readonly RevocationReference[];
/** The issuer's response; undefined disconnects. */
let answer: () => Promise<Uint8Array> | Uint8Array | number | undefined;
let asked: number;
/** The operator's folder. */
let files: StoredCrl[];
const filed = async (profile: string) => files.filter((one) => one.profile === profile);

beforeAll(async () => {
  server = createServer(async (_request, response) => {
    asked += 1;
    const reply = await answer();
    if (reply === undefined) response.destroy();
    else if (typeof reply === 'number') response.writeHead(reply).end();
    else response.end(reply);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/revoked.crl`;
  outbound = createIssuerOutbound({ allowPrivate: true });
  issuer = await createTestIssuer({
    profile: 'mdl',
    now: new Date(createManualClock().now()),
    revocationLists: [address],
  });
  references = await referencesOf(issuer);
});

afterAll(async () => {
  await outbound.close();
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  clock = createManualClock();
  asked = 0;
  files = [];
});

describe('a certificate with an available list', () => {
  it('is valid, and refused once revoked', async () => {
    const { check, counts } = open();
    answer = () => list();
    expect(await check()).toBeUndefined();
    clock.advance(60 * MINUTE_MS);
    answer = async () => list({ serials: [await serialOf(issuer)] });
    expect(await check()).toBe('certificate_revoked');
    expect([...counts]).toEqual([['believed', 2]]);
  });

  it('is checked once an hour, and once for concurrent requests', async () => {
    const { check, counts } = open();
    answer = () => list();
    expect(await Promise.all([check(), check(), check()])).toEqual([undefined, undefined, undefined]);
    // A fetched list is parsed once.
    expect([...counts]).toEqual([['believed', 1]]);
    clock.advance(60 * MINUTE_MS - 1);
    await check();
    expect(asked).toBe(1);
    clock.advance(1);
    await check();
    expect(asked).toBe(2);
  });

  it('is checked again as soon as the cached list has expired', async () => {
    const { check } = open();
    answer = () => list({ nextUpdate: new Date(clock.now() + MINUTE_MS) });
    await check();
    clock.advance(MINUTE_MS);
    expect(await check()).toBeUndefined();
    expect(asked).toBe(2);
  });

  it('stays revoked if an older list is replayed', async () => {
    const { check } = open();
    const yesterday = await list({
      thisUpdate: new Date(clock.now() - DAY_MS),
      nextUpdate: new Date(clock.now() + DAY_MS),
    });
    answer = async () => list({ serials: [await serialOf(issuer)] });
    expect(await check()).toBe('certificate_revoked');
    answer = () => yesterday;
    clock.advance(60 * MINUTE_MS);
    expect(await check()).toBe('certificate_revoked');
    expect(asked).toBe(2);
  });

  it('is checked again when its issuer is no longer trusted', async () => {
    const { lists, check } = open();
    answer = () => list();
    const renewed = await createTestIssuer({ profile: 'mdl', now: new Date(clock.now()), revocationLists: [address] });
    const before = await referencesOf(renewed);
    expect(await lists.check(before, 'mdl', [issuer.anchor], endless)).toBeUndefined();
    expect(await lists.check(before, 'mdl', [], endless)).toBe('crl_signature');
    expect(asked).toBe(2);
    await check();
  });
});

describe('an unavailable list', () => {
  const ways: [string, string, () => ReturnType<typeof answer>][] = [
    ['is not there', 'crl_unavailable', () => 404],
    ['cannot be reached', 'crl_unavailable', () => undefined],
    ['is huge', 'crl_unavailable', () => Buffer.alloc(2 ** 20 + 1, 0x30)],
    [
      'has ended',
      'crl_expired',
      () => list({ thisUpdate: new Date(clock.now() - DAY_MS), nextUpdate: new Date(clock.now()) }),
    ],
    ['is of another signer', 'crl_signature', () => list({ key: issuer.signingKey })],
    ['is none', 'crl_malformed', () => Buffer.from('<html>')],
  ];

  it.each(ways)('refuses proofs unless configured otherwise: %s', async (_, fault, reply) => {
    answer = reply;
    const { check, counts } = open();
    expect(await check()).toBe(fault);
    expect(counts.get(fault)).toBe(1);
    expect(await open('optional').check()).toBeUndefined();
    expect(await open('off').check()).toBeUndefined();
    expect(asked).toBe(2);
  });

  it('is not retried immediately', async () => {
    const { check } = open();
    answer = () => 500;
    expect([await check(), await check()]).toEqual(['crl_unavailable', 'crl_unavailable']);
    expect(asked).toBe(1);
    answer = () => list();
    clock.advance(15_000);
    expect(await check()).toBeUndefined();
  });

  it('does no harm while the previous list is valid', async () => {
    const { check } = open();
    answer = () => list();
    await check();
    answer = () => undefined;
    clock.advance(61 * MINUTE_MS);
    expect([await check(), await check()]).toEqual([undefined, undefined]);
    expect(asked).toBe(2);
    clock.advance(DAY_MS);
    expect(await check()).toBe('crl_unavailable');
  });

  it('delays no one while a valid list is cached, and the new list applies once it arrives', async () => {
    let isOver = false;
    const { check } = open('required', async () => {
      if (!isOver) await new Promise(() => {});
    });
    answer = () => list();
    await check();
    clock.advance(60 * MINUTE_MS);
    const late = Promise.withResolvers<Uint8Array>();
    answer = () => late.promise;
    isOver = true;
    expect([await check(), await check()]).toEqual([undefined, undefined]);
    late.resolve(await list({ serials: [await serialOf(issuer)] }));
    await expect.poll(check).toBe('certificate_revoked');
    expect(asked).toBe(2);
  });

  it("is awaited until the proof's timeout", async () => {
    const { lists } = open();
    const silent = Promise.withResolvers<undefined>();
    answer = () => silent.promise as Promise<never>;
    const [reference] = references as [RevocationReference];
    const addresses = [0, 1, 2, 3].map((number) => `${address}?${number}`);
    const asking = [reference, { ...reference, addresses }];
    expect(await lists.check(asking, 'mdl', [issuer.anchor], async () => {})).toBe('crl_unavailable');
    silent.resolve(undefined);
  });

  it('does no harm from another issuer at the same address', async () => {
    const revoked = await list({ serials: [await serialOf(issuer)] });
    answer = () => revoked;
    const now = new Date(clock.now());
    for (const country of ['UT', 'UV']) {
      const other = await createTestIssuer({ profile: 'mdl', now, country, revocationLists: [address] });
      const { lists, check } = open('optional');
      const checkOther = async () => lists.check(await referencesOf(other), 'mdl', [other.anchor], endless);
      expect(await checkOther()).toBeUndefined();
      expect(await check()).toBe('certificate_revoked');
      await checkOther();
      answer = () => 500;
      expect(await check()).toBe('certificate_revoked');
      answer = () => revoked;
    }
  });

  it('may be at the second address', async () => {
    answer = () => list();
    const [reference] = references as [RevocationReference];
    const twice = { ...reference, addresses: ['http://127.0.0.1:1/', ...reference.addresses] };
    expect(await open().lists.check([twice], 'mdl', [issuer.anchor], endless)).toBeUndefined();
    const silent = Promise.withResolvers<undefined>();
    answer = () => (asked % 2 === 0 ? list() : (silent.promise as Promise<never>));
    asked = 0;
    const slow = { ...reference, addresses: [`${address}?1`, `${address}?2`] };
    expect(await open().lists.check([slow], 'mdl', [issuer.anchor], endless)).toBeUndefined();
    silent.resolve(undefined);
  });

  it('is not fetched without a supported address', async () => {
    const [reference] = references as [RevocationReference];
    expect(await open().lists.check([{ ...reference, addresses: [] }], 'mdl', [issuer.anchor], endless)).toBe(
      'crl_unavailable',
    );
  });

  it('is never fetched from a private network', async () => {
    answer = () => list();
    const guarded = createIssuerOutbound();
    const lists = new RevocationLists({ checks: 'required', clock, outbound: guarded, filed, log: { warn() {} } });
    expect(await lists.check(references, 'mdl', [issuer.anchor], endless)).toBe('crl_unavailable');
    expect(asked).toBe(0);
    await guarded.close();
  });
});

describe('a file of the operator', () => {
  const put = async (options: CrlOptions = {}, profile: StoredCrl['profile'] = 'mdl') => {
    const bytes = await list(options);
    files.push({ file: `${profile}/own.crl`, profile, bytes, description: await describeCrl(bytes) });
  };
  const minutesAgo = (count: number) => new Date(clock.now() - count * MINUTE_MS);

  beforeEach(() => {
    answer = () => undefined;
  });

  it('replaces a list that cannot be fetched, until it expires', async () => {
    const { check } = open();
    await put();
    expect(await check()).toBeUndefined();
    clock.advance(DAY_MS - 1);
    expect(await check()).toBeUndefined();
    clock.advance(1);
    expect(await check()).toBe('crl_unavailable');
  });

  it('reports revoked certificates', async () => {
    await put({ serials: [await serialOf(issuer)] });
    expect(await open().check()).toBe('certificate_revoked');
    expect(await open('optional').check()).toBe('certificate_revoked');
  });

  it('serves a certificate without a supported address', async () => {
    const [reference] = references as [RevocationReference];
    const check = () => open().lists.check([{ ...reference, addresses: [] }], 'mdl', [issuer.anchor], endless);
    expect(await check()).toBe('crl_unavailable');
    await put();
    expect(await check()).toBeUndefined();
  });

  it('loses against a newer fetched list and wins against an older one', async () => {
    const { check } = open();
    await put({ thisUpdate: minutesAgo(10), serials: [await serialOf(issuer)] });
    answer = () => list({ thisUpdate: minutesAgo(5) });
    expect(await check()).toBeUndefined();
    await put({ serials: [await serialOf(issuer)] });
    expect(await check()).toBe('certificate_revoked');
    expect(asked).toBe(1);
  });

  it.each<[string, () => Promise<void>]>([
    ['of another signer', () => put({ key: issuer.signingKey })],
    ['of another authority', () => put({ issuer: 'CN=Somebody else' })],
    ['of another profile', () => put({}, 'eu_age')],
    ['that is not in force yet', () => put({ thisUpdate: minutesAgo(-60) })],
    ['that says that it is for others', () => put({ extensions: elsewhere })],
  ])('is ignored: %s', async (_, putFile) => {
    await putFile();
    expect(await open().check()).toBe('crl_unavailable');
  });

  it('for some certificates of an issuer is not used for others', async () => {
    const { lists } = open();
    const [reference] = references as [RevocationReference];
    const at = (own: string) => lists.check([{ ...reference, addresses: [own] }], 'mdl', [issuer.anchor], endless);
    await put({ extensions: elsewhere });
    expect([await at(ELSEWHERE), await at(address)]).toEqual([undefined, 'crl_unavailable']);
  });
});

it('refuses revoked certificates even if lists are optional', async () => {
  answer = async () => list({ serials: [await serialOf(issuer)] });
  expect(await open('optional').check()).toBe('certificate_revoked');
});

it.runIf(IS_LONG)('keeps eight lists of the largest size', async () => {
  const { lists } = open();
  answer = () => list({ extensions: padding });
  const [reference] = references as [RevocationReference];
  const at = (number: number) => [{ ...reference, addresses: [`${address}?${number}`] }];
  for (let number = 0; number < 9; number++)
    expect(await lists.check(at(number), 'mdl', [issuer.anchor], endless)).toBeUndefined();
  await lists.check(at(8), 'mdl', [issuer.anchor], endless);
  expect(asked).toBe(9);
  await lists.check(at(0), 'mdl', [issuer.anchor], endless);
  expect(asked).toBe(10);
});

const padding: NonNullable<CrlOptions['extensions']> = (x509) => [
  new x509.Extension('1.2.3.4', false, new Uint8Array(2 ** 20 - 1000).buffer),
];

const ELSEWHERE = 'http://authority.example/others.crl';
const elsewhere = pointOf(ELSEWHERE);

/** A proof without a timeout. */
const endless = () => new Promise<void>(() => {});

/** Never times out without `wait`. */
function open(
  checks: RevocationChecks = 'required',
  wait: (ms: number) => Promise<void> = () => new Promise(() => {}),
) {
  const lists = new RevocationLists({ checks, clock, outbound, filed, log: { warn() {} }, wait });
  return { lists, counts: lists.counts, check: () => lists.check(references, 'mdl', [issuer.anchor], endless) };
}

function list(options: CrlOptions = {}): Promise<Uint8Array> {
  return makeCrl(issuer, { thisUpdate: new Date(clock.now()), ...options });
}

async function referencesOf(of: TestIssuer): Promise<readonly RevocationReference[]> {
  const now = new Date(createManualClock().now());
  const attestation = await issueAttestation(of, { elements: { age_over_18: true }, now });
  const entropy = new Uint8Array(64).fill(1);
  const responseUri = 'https://age.example/answer';
  const asking = {
    profile: 'mdl' as const,
    protocol: 'redirect-unsigned' as const,
    threshold: 18,
    responseUri,
    entropy,
  };
  const { request, state } = await createRequest(asking);
  const { fields } = await answerRequest(request, attestation);
  const verdict = await verifyResponse(state, fields, { anchors: [of.anchor], now, acceptTestIssuers: true });
  return verdict.ok ? verdict.revocation : expect.fail(verdict.refusal);
}

function keepAll(...lists: [key: string, bytes: number][]) {
  const kept = new ListCache<string>(10);
  for (const [key, bytes] of lists) kept.keep(key, `${key}${bytes}`, bytes);
  return 'abc'.split('').flatMap((key) => kept.find(key) ?? []);
}

it('keeps a limited number of bytes and evicts the oldest list', () => {
  expect(keepAll(['a', 4], ['b', 6])).toEqual(['a4', 'b6']);
  expect(keepAll(['a', 4], ['b', 6], ['c', 1])).toEqual(['b6', 'c1']);
  expect(keepAll(['a', 4], ['b', 6], ['c', 10])).toEqual(['c10']);
});

it('counts a replaced list once, as the newest', () => {
  expect(keepAll(['a', 6], ['a', 4], ['b', 6])).toEqual(['a4', 'b6']);
  expect(keepAll(['a', 4], ['b', 4], ['a', 4], ['c', 4])).toEqual(['a4', 'c4']);
});

it('does not cache a list above the total limit', () => {
  expect(keepAll(['a', 11])).toEqual([]);
  expect(keepAll(['a', 11], ['b', 10])).toEqual(['b10']);
});
