// `limen trust` on its own folders and with list providers on loopback.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeAnchor, type ProfileId, writeAnchor } from '@limen/wallet';
import { createTestIssuer, type TestIssuer } from '@limen/wallet/test-issuer';
import { createBrokenIssuer, oddRootExtensions } from '@limen/wallet/testing/broken-issuer.ts';
import { makeCrl } from '@limen/wallet/testing/make-crl.ts';
import {
  createListProvider,
  type ListProvider,
  makeVical,
  signTrustedList,
  writeTrustedList,
} from '@limen/wallet/testing/make-lists.ts';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runLimenHere } from '#testing/run-limen.ts';
import { startPublisher } from '#testing/screening/publisher.ts';
import { chooseFingerprint } from './group.ts';

const NOW = new Date();
const DAY_MS = 86_400_000;
const days = (count: number) => new Date(NOW.getTime() + count * DAY_MS);
const DATES = { issuedAt: days(-1), nextUpdate: days(10) };
const MDL = 'org.iso.18013.5.1.mDL';
let first: TestIssuer;
let second: TestIssuer;
let old: TestIssuer;
let odd: TestIssuer;
let provider: ListProvider;

beforeAll(async () => {
  const make = (country: string, now = NOW) => createTestIssuer({ profile: 'mdl', now, country });
  [first, second, old, odd, provider] = await Promise.all([
    make('UT'),
    make('XX'),
    // Its certificates are valid for nine years from then.
    make('UT', days(-10 * 365)),
    createBrokenIssuer({ root: oddRootExtensions, rootDates: [days(1), days(9)] }),
    createListProvider(NOW),
  ]);
});

const fingerprintOf = ({ anchor }: TestIssuer) => describeAnchor(anchor).fingerprint;
const entryOf = ({ anchor }: TestIssuer) => ({ certificate: anchor.certificate.native.raw, docTypes: [MDL] });

function prepare() {
  const folder = mkdtempSync(join(tmpdir(), 'limen-cli-trust-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const environment = { DATA_DIR: join(folder, 'data') };
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const limen = (...args: string[]) => runLimenHere(['trust', ...args], { environment });
  const json = async (...args: string[]) => JSON.parse((await limen(...args, '--json')).stdout);
  const trusted = async () =>
    ((await json('list')) as { fingerprint: string }[]).map(({ fingerprint }) => fingerprint).sort();
  return { write, limen, json, trusted, trust: join(environment.DATA_DIR, 'trust') };
}

describe('trust add', () => {
  it('reports what is added and that a running server reloads it, and lists it', async () => {
    const { write, limen, json } = prepare();
    expect((await limen('list')).stdout).toContain('No authority is trusted yet');
    const file = write('root.pem', writeAnchor(first.anchor));
    const { code, stdout } = await limen('add', 'mdl', file);
    expect(code).toBe(0);
    expect(stdout).toContain(fingerprintOf(first));
    expect(stdout).toMatch(/^ {2}country {6}UT$/m);
    expect(stdout).toContain('Trusted for mdl: 1 more. A server running on this folder uses it within a few seconds.');
    expect((await limen('add', 'mdl', file)).stdout).toContain('Already trusted for mdl; nothing changed.');
    const short = fingerprintOf(first).slice(0, 16);
    expect((await limen('list')).stdout).toMatch(new RegExp(`^mdl +UT +${short} +\\d{4}-.*Z +valid +mdl/.*CN=`, 'm'));
    expect(await json('list')).toEqual([
      {
        profile: 'mdl',
        name: expect.stringContaining('Limen test issuer'),
        country: 'UT',
        fingerprint: fingerprintOf(first),
        notBefore: expect.any(String),
        notAfter: expect.any(String),
        state: 'valid',
        list: null,
        file: `mdl/${fingerprintOf(first).slice(0, 32)}.pem`,
      },
    ]);
    expect(await json('add', 'mdl', file)).toMatchObject({ added: 0, anchors: [{ country: 'UT' }] });
  });

  it.each<[string, () => string, string]>([
    ['nothing', () => 'hello', 'The file contains no certificate.'],
    ['no authority', () => provider.signerPem, 'not that of an authority'],
    ['one that has expired', () => writeAnchor(old.anchor), 'expired on 20'],
    ['one that asks for more than is understood', () => writeAnchor(odd.anchor), 'a critical extension'],
    ['one good, one expired', () => writeAnchor(first.anchor) + writeAnchor(old.anchor), 'Nothing was added.'],
  ])('refuses %s', async (_, pem, sentence) => {
    const { write, limen, trusted } = prepare();
    const { code, stderr } = await limen('add', 'mdl', write('root.pem', pem()));
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
    expect(await trusted()).toEqual([]);
  });

  it('is a usage error for an unknown profile, and fails for a missing file', async () => {
    const { limen } = prepare();
    expect(await limen('add', 'passport', 'x.pem')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Allowed choices are eu_age, mdl'),
    });
    expect(await limen('add', 'mdl', '/no/file.pem')).toMatchObject({
      code: 1,
      stderr: '/no/file.pem cannot be read.\n',
    });
  });
});

it('reports unusable files in trust list', async () => {
  const { limen, trust } = prepare();
  mkdirSync(join(trust, 'mdl'), { recursive: true });
  writeFileSync(join(trust, 'mdl', 'mine.pem'), 'hello');
  expect(await limen('list')).toMatchObject({
    code: 0,
    stderr: 'mdl/mine.pem: The file contains no certificate.\n',
  });
});

it('shows files with revoked certificates and when the revocations lapse in trust list', async () => {
  const { limen, json, trust } = prepare();
  mkdirSync(join(trust, 'mdl'), { recursive: true });
  const put = async (name: string, [from, until]: [number, number], serials: string[]) => {
    const bytes = await makeCrl(first, { thisUpdate: days(from), nextUpdate: days(until), serials });
    const base64 = Buffer.from(bytes).toString('base64');
    const pem = `-----BEGIN X509 CRL-----\n${base64}\n-----END X509 CRL-----\n`;
    writeFileSync(join(trust, 'mdl', name), name === 'a.crl' ? bytes : pem);
  };
  await put('a.crl', [-1, 10], ['01', '02']);
  await put('b.crl', [-9, -1], []);
  const { code, stdout, stderr } = await limen('list');
  expect([code, stderr]).toEqual([0, '']);
  const day = (count: number) => days(count).toISOString().slice(0, 10);
  expect(stdout).toMatch(new RegExp(`^mdl +2 +${day(-1)}\\S+ +${day(10)}\\S+ +valid +mdl/a.crl +C=UT, `, 'm'));
  expect(stdout).toMatch(new RegExp(`^mdl +0 +${day(-9)}\\S+ +${day(-1)}\\S+ +expired +mdl/b.crl +C=UT, `, 'm'));
  expect(await json('list')).toEqual([]);
});

describe('trust remove', () => {
  it('removes one certificate by a fingerprint prefix, even from a file with several', async () => {
    const { limen, trusted, trust } = prepare();
    mkdirSync(join(trust, 'mdl'), { recursive: true });
    writeFileSync(join(trust, 'mdl', 'both.pem'), writeAnchor(first.anchor) + writeAnchor(second.anchor));
    const spelled = fingerprintOf(first).toUpperCase().match(/../g)!.slice(0, 6).join(':');
    const { code, stdout } = await limen('remove', spelled);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Removed .* from mdl; .* within a few seconds\.\n$/)]);
    expect(await trusted()).toEqual([fingerprintOf(second)]);
    expect((await limen('remove', fingerprintOf(second))).code).toBe(0);
    expect(readdirSync(join(trust, 'mdl'))).toEqual([]);
  });

  it('fails for an unknown fingerprint, and is a usage error for a malformed one', async () => {
    const { limen } = prepare();
    expect(await limen('remove', 'ffffffffffffffff')).toMatchObject({ code: 1 });
    expect(await limen('remove', 'hello-there')).toMatchObject({ code: 2 });
  });
});

describe('trusted lists', () => {
  async function publish(entries = [entryOf(first), entryOf(second)], dates = DATES) {
    const { base, files, requests } = await startPublisher();
    const place = prepare();
    const set = async (listed: ReturnType<typeof entryOf>[], when = dates, by = provider) => {
      const body = await makeVical(by, listed, when);
      files.set('/vical', { body: '', answer: (reply) => reply.end(body) });
    };
    await set(entries);
    const root = place.write('provider.pem', provider.root);
    const add = (...more: string[]) =>
      place.limen('add-list', 'house', `${base}/vical`, '--profile', 'mdl', '--provider', root, ...more);
    return { ...place, base, files, requests, set, add, root };
  }

  it('are added, refreshed and replaced as a whole', async () => {
    const { add, set, limen, json, trusted } = await publish();
    const { code, stdout } = await add();
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^house: 2 authorities for mdl \(2 new, 0 gone\)\.\n/)]);
    expect(stdout).toContain('refreshes it once a day');
    expect(await trusted()).toEqual([fingerprintOf(first), fingerprintOf(second)].sort());
    expect((await limen('list')).stdout).toContain('list house');
    expect(await json('lists')).toMatchObject([
      { name: 'house', profile: 'mdl', format: 'vical', nextUpdate: expect.any(String), without: [] },
    ]);
    expect((await limen('lists')).stdout).toContain('/vical');
    await set([entryOf(second), entryOf(old)], { ...DATES, issuedAt: NOW });
    expect(await limen('sync')).toMatchObject({
      code: 0,
      stdout: 'house: 1 authority for mdl (0 new, 1 gone).\n',
      stderr: 'house: 1 more cannot be used, or have expired.\n',
    });
    expect(await trusted()).toEqual([fingerprintOf(second)]);
    expect(await json('sync', 'house')).toMatchObject([{ name: 'house', anchors: 1, added: 0, gone: 0, skipped: 1 }]);
    expect((await add()).stderr).toContain('There is a list house already');
    expect((await limen('remove-list', 'house')).code).toBe(0);
    expect(await trusted()).toEqual([]);
    expect((await limen('remove-list', 'house')).code).toBe(1);
  });

  it('do not restore a removed issuer', async () => {
    const { add, limen, trusted } = await publish();
    await add();
    expect((await limen('remove', fingerprintOf(first).slice(0, 12))).code).toBe(0);
    expect((await limen('sync')).stdout).toBe('house: 1 authority for mdl (unchanged).\n');
    expect(await trusted()).toEqual([fingerprintOf(second)]);
    await limen('remove', fingerprintOf(second));
    expect((await limen('sync')).stdout).toBe('house: 0 authorities for mdl (unchanged).\n');
    expect(await trusted()).toEqual([]);
  });

  it('change nothing if their signature is invalid', async () => {
    const { add, set, files, limen, trusted } = await publish();
    await add();
    const stranger = await createListProvider(NOW, 30);
    const both = await trusted();
    const broken: [() => unknown, string][] = [
      [() => set([]), 'has no authority for mdl'],
      [() => set([entryOf(old)]), 'has no authority for mdl'],
      [() => set([entryOf(first)], { issuedAt: days(-3), nextUpdate: days(-2) }), 'out of date'],
      [() => set([entryOf(first)], { issuedAt: days(-2), nextUpdate: days(2) }), 'older than the one that is there'],
      [() => set([entryOf(first)], DATES, stranger), 'not trustworthy'],
      [() => files.set('/vical', { body: 'hello' }), 'hat is there stays'],
      [() => files.set('/vical', { body: '', status: 503 }), 'answered 503'],
      [() => files.set('/vical', { body: '', status: 302, headers: { location: 'ftp://x/' } }), 'must begin with http'],
    ];
    for (const [prepareFault, sentence] of broken) {
      await prepareFault();
      const { code, stderr } = await limen('sync');
      expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
      expect(stderr).toContain('Not refreshed: 1 of 1. They stay as they were.');
      expect(await trusted()).toEqual(both);
    }
  });

  it('with a public address are never fetched from the private network', async () => {
    const { add, limen, trust } = await publish();
    await add();
    const file = join(trust, 'lists', 'house.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"allowPrivate": true', '"allowPrivate": false'));
    expect(await limen('sync')).toMatchObject({ code: 1, stderr: expect.stringContaining('a private address') });
    writeFileSync(file, '{}');
    expect(await limen('lists')).toMatchObject({
      code: 0,
      stderr: 'lists/house.json: The file does not describe a list.\n',
    });
  });

  it('are not added with an invalid signature or a usage error', async () => {
    const { add, set, limen, write, base, trust, json } = await publish();
    await set([]);
    expect((await add()).code).toBe(1);
    const wrong: [string[], number, string][] = [
      [['add-list', 'nowhere', '--provider', 'x.pem'], 2, 'No known list has this name'],
      [['add-list', 'Bad-Name', base, '--provider', 'x.pem'], 2, 'a to z, 0 to 9, _'],
      [['add-list', 'house', base, '--provider', 'x.pem'], 2, '--profile'],
      [['add-list', 'house', 'nonsense', '--profile', 'mdl', '--provider', 'x.pem'], 2, 'not one'],
      [
        ['add-list', 'house', base, '--profile', 'mdl', '--provider', write('s.pem', provider.signerPem)],
        1,
        'authority',
      ],
      [['add-list', 'house', base], 2, '--provider'],
      [['sync', 'house'], 1, 'There is no list house'],
    ];
    for (const [args, expected, sentence] of wrong) {
      const { code, stderr } = await limen(...args);
      expect([code, stderr]).toEqual([expected, expect.stringContaining(sentence)]);
    }
    expect(() => readdirSync(trust)).toThrow('ENOENT');
    expect((await limen('sync')).stdout).toContain('No list is followed');
    expect(await json('known')).toMatchObject([{ name: 'us_aamva', profile: 'mdl', format: 'vical' }]);
    expect((await limen('known')).stdout).toContain('vical.dts.aamva.org');
  });

  it('may be European trusted lists, with the service types that the operator selects', async () => {
    const { base, files } = await startPublisher();
    const { write, limen, trusted, trust } = prepare();
    const qualified = 'http://uri.etsi.org/TrstSvc/Svctype/CA/QC';
    const certificate = first.anchor.certificate.native.raw;
    const services = [{ certificate }, { certificate: second.anchor.certificate.native.raw, type: qualified }];
    files.set('/tl.xml', { body: signTrustedList(provider, writeTrustedList(services, DATES), { xades: true }) });
    const add = (name: string, profile: ProfileId, ...more: string[]) =>
      limen(
        ...['add-list', name, `${base}/tl.xml`, '--profile', profile, '--provider'],
        ...[write('operator.pem', provider.signerPem), ...more],
      );
    expect((await add('usual', 'eu_age')).stdout).toContain('usual: 1 authority for eu_age');
    expect(await trusted()).toEqual([fingerprintOf(first)]);
    const named = await add('named', 'mdl', '--format', 'eu_trusted_list', '--service-type', qualified);
    expect(named.stdout).toContain('named: 1 authority for mdl');
    expect(await trusted()).toEqual([fingerprintOf(first), fingerprintOf(second)].sort());
    expect(JSON.parse(readFileSync(join(trust, 'lists', 'named.json'), 'utf8'))).toMatchObject({
      serviceTypes: [qualified],
      allowPrivate: true,
    });
  });
});

const [A, B] = [`abcdef01${'0'.repeat(56)}`, `abcdef02${'0'.repeat(56)}`];

it('accepts a unique fingerprint prefix and refuses ambiguous, unknown or malformed ones', () => {
  expect(chooseFingerprint([A, B], 'abcdef01')).toBe(A);
  expect(chooseFingerprint([A, A], 'AB:CD:EF')).toBe(A);
  expect(() => chooseFingerprint([A, B], 'abcdef0')).toThrow('Several authorities');
  expect(() => chooseFingerprint([A, B], 'abcdef03')).toThrow('No trusted authority');
  for (const wrong of ['', 'abcde', 'hello-there', `${A}0`.replace('a', 'x')]) {
    expect(() => chooseFingerprint([A, B], wrong)).toThrow('at least 6');
  }
});
