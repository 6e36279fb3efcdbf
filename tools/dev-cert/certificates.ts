// A development authority for phones, and the server's certificate: keeps valid parts and creates
// the rest.
import { createPrivateKey, KeyObject, webcrypto, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  id_ce_nameConstraints,
  NameConstraints,
} from '@peculiar/asn1-x509';
import type { Extension } from '@peculiar/x509';
import { replaceFile } from '../../apps/server/src/platform/files/durable.ts';
import { makeInnerFolder } from '../../apps/server/src/platform/files/folder.ts';
import { loadX509 } from '../../packages/wallet/src/trust/certificate.ts';
import { collectNames, type Machine, type Names } from './names.ts';

const DAY_MS = 86_400_000;
/** Equal to the doctor's warning period. */
const RENEW_BEFORE_MS = 14 * DAY_MS;
/** A phone's clock may be slightly behind. */
const BACKDATED_MS = 3_600_000;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const EXPIRED = 'the old one has expired or is about to';
/**
 * An authority only vouches for local names and networks, and for the names given at its creation.
 */
const LOCAL_NAMES = ['localhost', 'local', 'lan', 'home.arpa', 'internal', 'test'];
const LOCAL_NETWORKS =
  '127.0.0.0/8 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 169.254.0.0/16 100.64.0.0/10 ::1/128 fc00::/7'.split(' ');
const localNetworks = new BlockList();
for (const network of LOCAL_NETWORKS) {
  const [address = '', bits] = network.split('/');
  localNetworks.addSubnet(address, Number(bits), familyOf(address));
}

interface Pair {
  certificate: X509Certificate;
  key: KeyObject;
}
type Files = Record<keyof Pair, string>;
export type Renewal = Awaited<ReturnType<typeof renewDevCert>>;

interface Order {
  dataDir: string;
  machine: Machine;
  /** Further names, normalized. */
  given: readonly string[];
  /** Replaces everything. */
  startOver: boolean;
  now: number;
}

export async function renewDevCert({ dataDir, machine, given: extraNames, startOver, now }: Order) {
  const files = devCertFiles(dataDir);
  const wanted = collectNames(machine, extraNames);
  const old = readPair(files.authority);
  const uncovered = old ? await findUncovered(old.certificate, wanted) : [];
  // Phones must install a new authority, so a host name that changed with the network does not
  // cause one.
  const needed = uncovered.filter((name) => extraNames.includes(name) || name === wanted.lan[0]).join(', ');
  let authorityMade = startOver ? 'as asked' : judge(old, now);
  if (needed) authorityMade ??= `the old one may not vouch for ${needed}`;
  if (authorityMade) await issueAuthority(files.authority, machine.hostname, wanted, now);
  /** Names of this computer that the authority must not vouch for. */
  const leftOut = authorityMade ? [] : uncovered;
  const stays = (name: string) => !leftOut.includes(name);
  const names = { dns: wanted.dns.filter(stays), ip: wanted.ip.filter(stays), lan: wanted.lan.filter(stays) };
  const authority = readPair(files.authority)!;
  const certificateMade = judge(readPair(files.server), now, authority, names);
  if (certificateMade) await issueCertificate(files.server, authority, names, now);
  const { certificate } = readPair(files.server)!;
  return { files, names, leftOut, authority: authority.certificate, certificate, authorityMade, certificateMade };
}

export function devCertFiles(dataDir: string): Record<'authority' | 'server', Files> {
  const file = (name: string) => join(resolve(dataDir, 'dev-cert'), name);
  return {
    authority: { certificate: file('limen-dev-ca.crt'), key: file('limen-dev-ca.key') },
    server: { certificate: file('cert.pem'), key: file('key.pem') },
  };
}

/** Returns undefined if a file is missing or damaged, or if the two do not belong together. */
export function readPair(files: Files): Pair | undefined {
  try {
    const certificate = new X509Certificate(readFileSync(files.certificate));
    const key = createPrivateKey(readFileSync(files.key));
    return certificate.checkPrivateKey(key) ? { certificate, key } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns why a pair must be replaced. */
function judge(pair: Pair | undefined, now: number, authority?: Pair, names?: Names): string | undefined {
  if (!pair) return 'there was none yet';
  const { certificate } = pair;
  if (authority && !certificate.verify(authority.certificate.publicKey)) return 'it belonged to another authority';
  if (Date.parse(certificate.validFrom) > now || now + RENEW_BEFORE_MS >= Date.parse(certificate.validTo))
    return EXPIRED;
  const has = (name: string) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
  const expected = names && [...names.dns, ...names.ip];
  const isSame = expected?.length === certificate.subjectAltName?.split(', ').length && expected?.every(has);
  return !expected || isSame ? undefined : 'names or addresses have changed';
}

function subtree(name: string): GeneralSubtree {
  const [address = '', bits] = name.split('/');
  const kind = isIP(address);
  const base = kind === 0 ? { dNSName: name } : { iPAddress: `${address}/${bits ?? (kind === 4 ? 32 : 128)}` };
  return new GeneralSubtree({ base: new GeneralName(base) });
}

async function findUncovered({ raw }: X509Certificate, { dns, ip }: Names): Promise<string[]> {
  const { X509Certificate } = await loadX509();
  const permitted = Buffer.from(
    new X509Certificate(raw).getExtension(id_ce_nameConstraints)?.value ?? new ArrayBuffer(0),
  );
  return [...dns, ...ip].filter(
    (name) => !isLocal(name) && !permitted.includes(Buffer.from(AsnConvert.serialize(subtree(name)))),
  );
}

function isLocal(name: string): boolean {
  if (isIP(name)) return localNetworks.check(name, familyOf(name));
  return LOCAL_NAMES.some((local) => name === local || name.endsWith(`.${local}`));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

async function issueAuthority(files: Files, host: string, { dns, ip }: Names, now: number): Promise<void> {
  const x509 = await loadX509();
  const permitted = [...LOCAL_NAMES, ...LOCAL_NETWORKS, ...[...dns, ...ip].filter((name) => !isLocal(name))];
  const constraints = new NameConstraints({ permittedSubtrees: new GeneralSubtrees(permitted.map(subtree)) });
  // Day and computer distinguish several authorities in a phone's settings.
  const name = `Limen development CA, ${host}, ${new Date(now).toISOString().slice(0, 10)}`;
  await issue(files, undefined, name, now - BACKDATED_MS, now - BACKDATED_MS + 365 * DAY_MS, [
    new x509.BasicConstraintsExtension(true, 0, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    new x509.Extension(id_ce_nameConstraints, true, AsnConvert.serialize(constraints)),
  ]);
}

export async function issueCertificate(files: Files, authority: Pair, { dns, ip }: Names, now: number): Promise<void> {
  const x509 = await loadX509();
  const { validFrom, validTo, raw } = authority.certificate;
  const begin = Math.max(now - BACKDATED_MS, Date.parse(validFrom));
  const end = Math.min(now + 180 * DAY_MS, Date.parse(validTo));
  await issue(files, authority, 'Limen development server', begin, end, [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension([
      ...dns.map((value) => ({ type: 'dns' as const, value })),
      ...ip.map((value) => ({ type: 'ip' as const, value })),
    ]),
    await x509.AuthorityKeyIdentifierExtension.create(new x509.X509Certificate(raw).publicKey),
  ]);
}

/** Without an authority the certificate is self-signed. */
async function issue(
  files: Files,
  by: Pair | undefined,
  name: string,
  begin: number,
  end: number,
  extensions: Extension[],
) {
  const { X509Certificate, X509CertificateGenerator, SubjectKeyIdentifierExtension } = await loadX509();
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const subject = [{ CN: [name] }];
  const certificate = await X509CertificateGenerator.create({
    subject,
    issuer: by ? new X509Certificate(by.certificate.raw).subjectName : subject,
    notBefore: new Date(begin),
    notAfter: new Date(end),
    publicKey: keys.publicKey,
    signingKey: by ? by.key.toCryptoKey(ALGORITHM, false, ['sign']) : keys.privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [...extensions, await SubjectKeyIdentifierExtension.create(keys.publicKey)],
  });
  makeInnerFolder(dirname(files.key));
  await replaceFile(files.key, KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }) as string);
  await replaceFile(files.certificate, `${certificate.toString('pem')}\n`);
}
