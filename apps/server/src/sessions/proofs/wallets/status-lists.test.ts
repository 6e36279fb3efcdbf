// Fetching and caching status lists; the verifier interprets them.
import { createHook } from 'node:async_hooks';
import { deflateSync } from 'node:zlib';
import type { ProfileId } from '@limen/wallet';
import { createTestIssuer, type TestIssuer } from '@limen/wallet/test-issuer';
import {
  compressStatuses,
  makeStatusCwt,
  makeStatusJwt,
  type StatusListOptions,
} from '@limen/wallet/testing/make-status-list.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { createManualClock } from '#testing/manual-clock.ts';
import { createStatusServer } from '#testing/status-server.ts';
import type { ProofBudget, WalletFault } from './revocation-lists.ts';
import { createStatusLists } from './status-lists.ts';

const URI = 'https://issuer.example/list';
const REVOKED = 1;
const MINUTE_MS = 60_000;

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await createTestIssuer({ profile: 'mdl', now: new Date(createManualClock().now()) });
});

function open(revoked?: WalletFault, budget: ProofBudget = () => new Promise(() => {})) {
  const clock = createManualClock();
  const server = createStatusServer();
  const lists = createStatusLists({
    clock,
    outbound: server.outbound,
    revocationLists: { check: async () => revoked },
  });
  const describeList = (options: Partial<StatusListOptions> = {}): StatusListOptions => ({
    subject: URI,
    issuedAt: Math.floor(clock.now() / 1000),
    expiresAt: Math.floor(clock.now() / 1000) + 3600,
    compressed: compressStatuses([REVOKED]),
    ...options,
  });
  return {
    clock,
    server,
    makeJwt: (options?: Partial<StatusListOptions>) => makeStatusJwt(issuer, describeList(options)),
    makeCwt: (options?: Partial<StatusListOptions>) => makeStatusCwt(issuer, describeList(options)),
    check: (index = 0, uri = URI, profile: ProfileId = 'mdl') =>
      lists.check({ uri, index }, profile, [{ ...issuer.anchor, profile }], budget),
  };
}

/** Number of compressions and inflations during the work. */
async function countInflates(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'ZLIB') count += 1;
    },
  });
  hook.enable();
  await work();
  hook.disable();
  return count;
}

describe('a status list', () => {
  it.each(['makeJwt', 'makeCwt'] as const)('is fetched as %s and reports revocations', async (form) => {
    const room = open();
    room.server.serve(URI, () => room[form]());
    expect([await room.check(), await room.check(REVOKED)]).toEqual([undefined, 'status_revoked']);
  });

  it('is cached for five minutes', async () => {
    const { server, makeJwt, check, clock } = open();
    server.serve(URI, () => makeJwt());
    await check();
    clock.advance(5 * MINUTE_MS - 1);
    await check(REVOKED);
    expect(server.fetched).toEqual([URI]);
    clock.advance(1);
    await check();
    expect(server.fetched).toEqual([URI, URI]);
  });

  it('is fetched once for concurrent requests', async () => {
    const { server, makeJwt, check } = open();
    server.serve(URI, () => makeJwt());
    expect(await Promise.all([check(), check(REVOKED), check()])).toEqual([undefined, 'status_revoked', undefined]);
    expect(server.fetched).toEqual([URI]);
  });

  it('is verified again for another profile, which may accept less', async () => {
    const { server, makeJwt, check } = open();
    server.serve(URI, () => makeJwt());
    expect([await check(), await check(0, URI, 'eu_age')]).toEqual([undefined, undefined]);
    expect(server.fetched).toEqual([URI, URI]);
  });

  it('is inflated once when it arrives', async () => {
    const { server, makeJwt, check } = open();
    const token = await makeJwt();
    server.serve(URI, () => token);
    expect(await countInflates(() => check())).toBe(1);
    expect(await countInflates(() => Promise.all([check(), check(REVOKED), check(2)]))).toBe(0);
  });

  it('is evicted by its inflated size', async () => {
    const { server, makeJwt, check } = open();
    const compressed = deflateSync(new Uint8Array(12_000_000));
    const uris = [0, 1, 2].map((number) => `${URI}/${number}`);
    for (const uri of uris) server.serve(uri, () => makeJwt({ subject: uri, compressed }));
    for (const uri of [...uris, uris[2], uris[1], uris[0]]) expect(await check(0, uri)).toBeUndefined();
    // The cache holds two of them.
    expect(server.fetched).toEqual([...uris, uris[0]]);
  });

  it('is fetched again if it expired in the cache', async () => {
    const { server, makeJwt, check, clock } = open();
    server.serve(URI, () => makeJwt({ expiresAt: Math.floor(clock.now() / 1000) + 60 }));
    await check();
    clock.advance(2 * MINUTE_MS);
    expect(await check()).toBeUndefined();
    expect(server.fetched).toEqual([URI, URI]);
  });

  it('is fetched again if it grew in the cache', async () => {
    const { server, makeJwt, check } = open();
    const later = 100;
    server.serve(URI, () => makeJwt());
    expect(await check(later)).toBe('status_out_of_range');
    await check();
    server.serve(URI, () => makeJwt({ compressed: compressStatuses([], 16) }));
    expect(await check(later)).toBeUndefined();
  });

  it('is not cached if not verified', async () => {
    const { server, makeJwt, check } = open();
    server.serve(URI, () => '<html>Sign in to the network</html>');
    expect(await check()).toBe('status_list_malformed');
    server.serve(URI, () => makeJwt());
    expect(await check()).toBeUndefined();
  });

  it.each<[string, () => { status: number }]>([
    ['that is not there', () => ({ status: 404 })],
    [
      'whose server cannot be reached',
      () => {
        throw new Error('no route');
      },
    ],
  ])('fails the proof and is retried by the next if %s', async (_, reply) => {
    const { server, makeJwt, check } = open();
    server.serve(URI, reply);
    expect(await check()).toBe('status_unavailable');
    server.serve(URI, () => makeJwt());
    expect(await check()).toBeUndefined();
  });

  it('fails the proof if it does not arrive in time', async () => {
    const { server, check } = open(undefined, async () => {});
    server.serve(URI, () => new Promise(() => {}));
    expect(await check()).toBe('status_unavailable');
  });

  it('is ignored once its signer is revoked', async () => {
    const { server, makeJwt, check } = open('certificate_revoked');
    server.serve(URI, () => makeJwt());
    expect(await check()).toBe('certificate_revoked');
  });
});
