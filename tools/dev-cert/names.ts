// Which names and addresses a development certificate is for, and which of them a phone should open.
import { BlockList, isIP, SocketAddress } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

/** What this computer says about itself; a test says something else. */
export interface Machine {
  hostname: string;
  interfaces: ReturnType<typeof networkInterfaces>;
}

export interface Names {
  dns: string[];
  ip: string[];
  /** Where other devices of the network reach this computer, the likeliest first. */
  lan: string[];
}

const MAX_NAME_LENGTH = 253;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** Interfaces of containers, virtual machines and VPNs: a phone on the Wi-Fi does not reach this computer through them. */
const VIRTUAL = /^(docker|br-|veth|virbr|vmnet|vboxnet|vethernet|utun|tun|tap|wg|tailscale|zt|ppp|awdl|llw|bridge)/i;

export function readMachine(): Machine {
  return { hostname: hostname(), interfaces: networkInterfaces() };
}

export function collectNames(machine: Machine, given: readonly string[]): Names {
  const lan = findLanAddresses(machine);
  const host = toDnsName(machine.hostname);
  const short = host?.split('.', 1)[0];
  const dns = ['localhost', host, short && `${short}.local`, ...given.filter((name) => isIP(name) === 0)];
  const ip = ['127.0.0.1', '::1', ...lan, ...given.filter((name) => isIP(name) !== 0)];
  return { dns: unique(dns), ip: unique(ip.map(toPlainAddress)), lan };
}

/** The name in its plain form, or undefined where it is neither a host name nor an address. */
export function parseName(text: string): string | undefined {
  const name = text.trim();
  if (name.includes('%')) return undefined; // a zone means something on this computer only
  return isIP(name) === 0 ? toDnsName(name) : toPlainAddress(name);
}

function toDnsName(text: string): string | undefined {
  const name = text.toLowerCase().replace(/\.$/, '');
  const labels = name.split('.');
  const isAddressLike = /^\d+$/.test(labels.at(-1) ?? '');
  return name.length <= MAX_NAME_LENGTH && !isAddressLike && labels.every((label) => LABEL.test(label))
    ? name
    : undefined;
}

/** One way of writing each address, so that lists of them can be compared. */
function toPlainAddress(address: string): string {
  return new SocketAddress({ address, family: isIP(address) === 6 ? 'ipv6' : 'ipv4' }).address;
}

/**
 * IPv4, and of IPv6 only the local network's own addresses: the public ones of a computer change by the day, and
 * link-local ones cannot be written into a web address.
 */
function findLanAddresses({ interfaces }: Machine): string[] {
  const found = Object.entries(interfaces).flatMap(([name, addresses]) =>
    (addresses ?? [])
      .filter(
        ({ internal, family, address }) => !internal && (family === 'IPv4' || UNIQUE_LOCAL.check(address, 'ipv6')),
      )
      .map(({ family, address }) => ({
        address: toPlainAddress(address),
        rank: (VIRTUAL.test(name) ? 4 : 0) + (family === 'IPv4' ? 0 : 2) + (SELF_ASSIGNED.check(address) ? 1 : 0),
      })),
  );
  return unique(found.sort((a, b) => a.rank - b.rank).map(({ address }) => address));
}

const UNIQUE_LOCAL = new BlockList();
UNIQUE_LOCAL.addSubnet('fc00::', 7, 'ipv6');
/** What a computer takes when nobody gives it an address. */
const SELF_ASSIGNED = new BlockList();
SELF_ASSIGNED.addSubnet('169.254.0.0', 16);

function unique(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((value) => value !== undefined))];
}
