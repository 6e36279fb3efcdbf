// Decides what of a development certificate can stay, and makes the rest.
import type { X509Certificate } from 'node:crypto';
import { type DevCertFolder, type Pair, readPair, writePair } from './files.ts';
import { issueAuthority, issueCertificate, readConstraints } from './issue.ts';
import { findUncovered } from './name-constraints.ts';
import { collectNames, type Machine, type Names } from './names.ts';

/** As early as `doctor` begins to warn. */
const RENEW_BEFORE_MS = 14 * 86_400_000;

interface Order {
  folder: DevCertFolder;
  machine: Machine;
  /** Further names, in their plain form. */
  given: readonly string[];
  /** Keep nothing. */
  startOver: boolean;
  now: number;
}

export interface Renewal {
  names: Names;
  authority: X509Certificate;
  certificate: X509Certificate;
  /** Why each was made; undefined where it was kept. */
  authorityMade: string | undefined;
  certificateMade: string | undefined;
  /** Names of this computer that the authority may not vouch for. */
  leftOut: string[];
}

export async function renewDevCert({ folder, machine, given, startOver, now }: Order): Promise<Renewal> {
  const wanted = collectNames(machine, given);
  const old = await judgeAuthority(readPair(folder.authority), wanted, given, now);
  const authorityMade = startOver ? 'as asked' : old.mustGo;
  if (authorityMade !== undefined) {
    writePair(folder, folder.authority, await issueAuthority(machine.hostname, wanted, now));
  }
  const leftOut = authorityMade === undefined ? old.uncovered : [];
  const names = without(wanted, leftOut);
  const authority = readBack(folder.authority);
  const certificateMade = judgeCertificate(readPair(folder.server), authority, names, now);
  if (certificateMade !== undefined) writePair(folder, folder.server, await issueCertificate(authority, names, now));
  const { certificate } = readBack(folder.server);
  return { names, authority: authority.certificate, certificate, authorityMade, certificateMade, leftOut };
}

interface Judgement {
  mustGo?: string;
  uncovered: string[];
}

/**
 * A phone has to be told about a new authority, so the old one stays for as long as it can: a host name that changed with
 * the network is not worth a new one, but a name that was asked for is, and so is the address that the phone opens.
 */
async function judgeAuthority(
  pair: Pair | undefined,
  names: Names,
  given: readonly string[],
  now: number,
): Promise<Judgement> {
  if (!pair) return { mustGo: 'there was none yet', uncovered: [] };
  if (!isValidFor(pair.certificate, now)) return { mustGo: 'the old one has expired or is about to', uncovered: [] };
  const uncovered = findUncovered(await readConstraints(pair.certificate), [...names.dns, ...names.ip]);
  const needed = uncovered.filter((name) => given.includes(name) || name === names.lan[0]);
  return needed.length > 0
    ? { mustGo: `the old one may not vouch for ${needed.join(', ')}`, uncovered }
    : { uncovered };
}

function without({ dns, ip, lan }: Names, leftOut: readonly string[]): Names {
  const stays = (name: string) => !leftOut.includes(name);
  return { dns: dns.filter(stays), ip: ip.filter(stays), lan: lan.filter(stays) };
}

function judgeCertificate(pair: Pair | undefined, authority: Pair, names: Names, now: number): string | undefined {
  if (!pair) return 'there was none yet';
  const { certificate } = pair;
  if (!certificate.checkIssued(authority.certificate) || !certificate.verify(authority.certificate.publicKey)) {
    return 'it belonged to another authority';
  }
  if (!isValidFor(certificate, now)) return 'the old one has expired or is about to';
  return isFor(certificate, names) ? undefined : 'names or addresses have changed';
}

function isValidFor(certificate: X509Certificate, now: number): boolean {
  return Date.parse(certificate.validFrom) <= now && now + RENEW_BEFORE_MS < Date.parse(certificate.validTo);
}

/** Exactly these names: one that was left out must not stay in. */
function isFor(certificate: X509Certificate, { dns, ip }: Names): boolean {
  const count = certificate.subjectAltName?.split(', ').length ?? 0;
  return (
    count === dns.length + ip.length &&
    dns.every((name) => certificate.checkHost(name) !== undefined) &&
    ip.every((address) => certificate.checkIP(address) !== undefined)
  );
}

function readBack(files: { certificate: string; key: string }): Pair {
  const pair = readPair(files);
  if (!pair) throw new Error('a certificate that was just written cannot be read');
  return pair;
}
