// Names and addresses of a development certificate, and those to open on a phone.
import { isIP, SocketAddress } from 'node:net';
import type { hostname, networkInterfaces } from 'node:os';

/** This computer's own description. */
export interface Machine {
  hostname: ReturnType<typeof hostname>;
  interfaces: ReturnType<typeof networkInterfaces>;
}

export interface Names {
  dns: string[];
  ip: string[];
  /** Addresses at which other devices of the network reach this computer, most likely first. */
  lan: string[];
}

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/**
 * Interfaces of containers, virtual machines and VPNs, through which a phone on the Wi-Fi cannot
 * reach this computer.
 */
const VIRTUAL = /^(docker|br-|veth|virbr|vmnet|vboxnet|vethernet|utun|tun|tap|wg|tailscale|zt|ppp|awdl|llw|bridge)/i;

export function collectNames({ hostname, interfaces }: Machine, extraNames: readonly string[]): Names {
  const host = toDnsName(hostname);
  const lan = Object.entries(interfaces)
    .flatMap(([name, addresses = []]) => addresses.map((address) => ({ ...address, isVirtual: VIRTUAL.test(name) })))
    // Public IPv6 addresses change daily, and link-local ones are not allowed in URLs.
    .filter(({ internal, family, address }) => !internal && (family === 'IPv4' || /^f[cd]/i.test(address)))
    .map(({ isVirtual, family, address }) => ({
      address: toPlainAddress(address),
      rank: (isVirtual ? 4 : 0) + (family === 'IPv4' ? 0 : 2) + (address.startsWith('169.254.') ? 1 : 0),
    }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ address }) => address);
  const dns = [
    'localhost',
    ...(host ? [host, `${host.split('.', 1)}.local`] : []),
    ...extraNames.filter((name) => !isIP(name)),
  ];
  const ip = ['127.0.0.1', '::1', ...lan, ...extraNames.filter((name) => isIP(name))].map(toPlainAddress);
  return { dns: [...new Set(dns)], ip: [...new Set(ip)], lan: [...new Set(lan)] };
}

/** Returns the normalized name, or undefined if it is neither a host name nor an address. */
export function parseName(text: string): string | undefined {
  const name = text.trim();
  if (name.includes('%')) return undefined; // zones only have a meaning on this computer
  return isIP(name) === 0 ? toDnsName(name) : toPlainAddress(name);
}

function toDnsName(text: string): string | undefined {
  const name = text.toLowerCase().replace(/\.$/, '');
  const isValid = name.length <= 253 && !/(^|\.)\d+$/.test(name) && name.split('.').every((label) => LABEL.test(label));
  return isValid ? name : undefined;
}

function toPlainAddress(address: string): string {
  return new SocketAddress({ address, family: isIP(address) === 6 ? 'ipv6' : 'ipv4' }).address;
}
