// Certificates as seen by Node and OpenSSL, and what a repeated call keeps.
import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect, createServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { devCertFiles, issueCertificate, readPair, renewDevCert } from './certificates.ts';
import type { Machine } from './names.ts';

const DAY = 86_400_000;
const NOW = Math.floor(Date.now() / 1000) * 1000;

function machineAt(address: string, hostname = 'laptop'): Machine {
  const common = { netmask: '255.255.255.0', mac: '', internal: false, cidr: null };
  return { hostname, interfaces: { wlan0: [{ ...common, family: 'IPv4', address }] } };
}

interface Call {
  machine?: Machine;
  given?: string[];
  startOver?: boolean;
  now?: number;
}

function prepare() {
  const parent = mkdtempSync(join(tmpdir(), 'limen-dev-cert-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const dataDir = join(parent, 'data');
  const folder = { path: join(dataDir, 'dev-cert'), ...devCertFiles(dataDir) };
  const renew = ({ machine = machineAt('192.168.1.5'), given = [], startOver = false, now = NOW }: Call = {}) =>
    renewDevCert({ dataDir, machine, given, startOver, now });
  return { folder, renew };
}

describe('the files', () => {
  it('are private to this user, and the certificate belongs to the authority', async () => {
    const { folder, renew } = prepare();
    const { authority, certificate } = await renew();
    expect(statSync(folder.path).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder.path).sort()).toEqual(['cert.pem', 'key.pem', 'limen-dev-ca.crt', 'limen-dev-ca.key']);
    for (const name of readdirSync(folder.path)) expect(statSync(join(folder.path, name)).mode & 0o777).toBe(0o600);
    expect(certificate.checkIssued(authority)).toBe(true);
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(authority.verify(authority.publicKey)).toBe(true);
    expect([authority.ca, certificate.ca]).toEqual([true, false]);
    expect(readPair(folder.server)?.certificate.fingerprint256).toBe(certificate.fingerprint256);
  });

  it('have elliptic keys, key usages, and a validity that browsers accept', async () => {
    const { authority, certificate } = await prepare().renew();
    for (const { publicKey } of [authority, certificate]) {
      expect(publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    }
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    const daysOf = ({ validFrom, validTo }: X509Certificate) => (Date.parse(validTo) - Date.parse(validFrom)) / DAY;
    expect(daysOf(authority)).toBe(365);
    expect(daysOf(certificate)).toBeLessThanOrEqual(397);
    expect(Date.parse(certificate.validFrom)).toBeLessThan(NOW);
  });

  it('name this computer and the requested names', async () => {
    const { certificate } = await prepare().renew({ given: ['demo.example', 'fd00::9'] });
    expect(certificate.subjectAltName?.split(', ')).toEqual([
      'DNS:localhost',
      'DNS:laptop',
      'DNS:laptop.local',
      'DNS:demo.example',
      'IP Address:127.0.0.1',
      'IP Address:0:0:0:0:0:0:0:1',
      'IP Address:192.168.1.5',
      'IP Address:FD00:0:0:0:0:0:0:9',
    ]);
  });
});

describe('a handshake', () => {
  async function shakeHands(files: { certificate: string; key: string }, options: ConnectionOptions) {
    const server = createServer({ cert: readFileSync(files.certificate), key: readFileSync(files.key) });
    server.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    return new Promise<string>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', ...options }, () => {
        socket.destroy();
        resolve('trusted');
      });
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(`${error.code} ${error.message}`));
    });
  }

  it('succeeds with the authority by address and by each name, and fails without it', async () => {
    const { folder, renew } = prepare();
    await renew({ machine: machineAt('203.0.113.5'), given: ['demo.example'] });
    const ca = readFileSync(folder.authority.certificate);
    expect(await shakeHands(folder.server, { ca })).toBe('trusted');
    for (const servername of ['localhost', 'laptop', 'laptop.local', 'demo.example']) {
      expect(await shakeHands(folder.server, { ca, servername })).toBe('trusted');
    }
    expect(await shakeHands(folder.server, { ca, servername: 'other.example' })).toMatch(/^ERR_TLS_CERT_ALTNAME_/);
    expect(await shakeHands(folder.server, {})).toMatch(/^UNABLE_TO_VERIFY_LEAF_SIGNATURE /);
  });

  it.each([
    ['name', { dns: ['bank.example'], ip: [] }],
    ['address', { dns: ['localhost'], ip: ['127.0.0.1', '198.51.100.7'] }],
  ])('fails with a certificate of the same authority for a foreign %s', async (_kind, foreign) => {
    const { folder, renew } = prepare();
    await renew();
    const authority = readPair(folder.authority)!;
    await issueCertificate(folder.server, authority, { ...foreign, lan: [] }, NOW);
    const ca = readFileSync(folder.authority.certificate);
    const servername = foreign.dns[0]!;
    expect(await shakeHands(folder.server, { ca, servername })).toContain('permitted subtree violation');
  });
});

describe('a second call', () => {
  it('changes nothing while everything is valid', async () => {
    const { folder, renew } = prepare();
    await renew({ given: ['demo.example'] });
    const contents = () => readdirSync(folder.path).map((name) => readFileSync(join(folder.path, name), 'utf8'));
    const before = contents();
    expect(await renew({ given: ['demo.example'] })).toMatchObject({
      authorityMade: undefined,
      certificateMade: undefined,
    });
    expect(contents()).toEqual(before);
  });

  it('creates a new certificate with the same authority after an address change', async () => {
    const { renew } = prepare();
    const first = await renew();
    const second = await renew({ machine: machineAt('10.1.2.3') });
    expect(second).toMatchObject({ authorityMade: undefined, certificateMade: 'names or addresses have changed' });
    expect(second.authority.fingerprint256).toBe(first.authority.fingerprint256);
    expect(second.certificate.checkIP('10.1.2.3')).toBe('10.1.2.3');
    expect(second.certificate.checkIP('192.168.1.5')).toBeUndefined();
    expect(second.certificate.verify(first.authority.publicKey)).toBe(true);
  });

  it('creates a new certificate two weeks before the old one expires', async () => {
    const { renew } = prepare();
    const end = Date.parse((await renew()).certificate.validTo);
    expect(await renew({ now: end - 14 * DAY - 1 })).toMatchObject({ certificateMade: undefined });
    const renewed = await renew({ now: end - 14 * DAY });
    expect(renewed).toMatchObject({ authorityMade: undefined, certificateMade: expect.stringContaining('expired') });
    expect(Date.parse(renewed.certificate.validTo)).toBeGreaterThan(end);
  });

  it('limits a certificate to its authority’s validity and renews both at its end', async () => {
    const { renew } = prepare();
    const { authority } = await renew();
    const end = Date.parse(authority.validTo);
    expect(Date.parse((await renew({ now: end - 20 * DAY })).certificate.validTo)).toBe(end);
    const after = await renew({ now: end - 14 * DAY });
    expect(after).toMatchObject({ authorityMade: expect.stringContaining('expired') });
    expect(after.certificate.verify(after.authority.publicKey)).toBe(true);
  });

  it('creates a new authority for a name or first address that the old one must not vouch for', async () => {
    const { renew } = prepare();
    await renew();
    expect(await renew({ given: ['demo.example'] })).toMatchObject({
      authorityMade: 'the old one may not vouch for demo.example',
    });
    expect(await renew({ machine: machineAt('203.0.113.5') })).toMatchObject({
      authorityMade: 'the old one may not vouch for 203.0.113.5',
    });
    expect(await renew({ given: ['demo.lan'] })).toMatchObject({ authorityMade: undefined });
  });

  it('omits a host name that changed with the network and keeps the authority', async () => {
    const { renew } = prepare();
    await renew();
    const moved = await renew({ machine: machineAt('192.168.1.5', 'laptop.cafe.example') });
    expect(moved).toMatchObject({ authorityMade: undefined, leftOut: ['laptop.cafe.example'] });
    expect(moved.names.dns).toEqual(['localhost', 'laptop.local']);
    expect(moved.certificate.checkHost('laptop.cafe.example')).toBeUndefined();
  });

  it('starts over on request', async () => {
    const { renew } = prepare();
    const first = await renew();
    const second = await renew({ startOver: true });
    expect(second.authority.fingerprint256).not.toBe(first.authority.fingerprint256);
    expect(second.certificate.verify(first.authority.publicKey)).toBe(false);
    expect(second.certificate.verify(second.authority.publicKey)).toBe(true);
  });

  it('replaces damaged, missing or mismatched files', async () => {
    const { folder, renew } = prepare();
    const first = await renew();
    rmSync(folder.server.key);
    expect(await renew()).toMatchObject({ authorityMade: undefined, certificateMade: expect.any(String) });
    writeFileSync(folder.server.certificate, 'damaged');
    expect(await renew()).toMatchObject({ authorityMade: undefined, certificateMade: expect.any(String) });
    writeFileSync(folder.authority.key, readFileSync(folder.server.key));
    const last = await renew();
    expect(last.authorityMade).toBeDefined();
    expect(last.authority.fingerprint256).not.toBe(first.authority.fingerprint256);
    expect(new X509Certificate(readFileSync(folder.server.certificate)).verify(last.authority.publicKey)).toBe(true);
  });

  it('restricts the permissions of a replaced key', async () => {
    const { folder, renew } = prepare();
    await renew();
    chmodSync(folder.server.key, 0o644);
    await renew({ startOver: true });
    expect(statSync(folder.server.key).mode & 0o777).toBe(0o600);
  });
});
