// Decides for an IP address whether the server may connect to it: the rule behind every outbound call.
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * `public`: the internet. `private`: loopback and local networks, which an operator may allow. `forbidden`: never a sensible
 * destination, and often a dangerous one (credentials of the cloud machine).
 */
export type AddressKind = 'public' | 'private' | 'forbidden';

// Registries: https://www.iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry.
const FORBIDDEN = listSubnets(
  ['0.0.0.0', 8], // this host
  ['169.254.0.0', 16], // link-local, and the metadata service of most clouds
  ['100.100.100.200', 32], // metadata service of Alibaba Cloud
  ['168.63.129.16', 32], // wire server of Azure
  ['192.0.0.192', 32], // metadata service of Oracle Cloud
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
  ['::', 128], // unspecified
  ['fe80::', 10], // link-local
  ['ff00::', 8], // multicast
  ['fd00:ec2::254', 128], // metadata service of AWS
  ['fd20:ce::254', 128], // metadata service of Google Cloud
  ['2001::', 32], // Teredo: hides an IPv4 address
  ['64:ff9b:1::', 48], // local NAT64: hides an IPv4 address
);
const PRIVATE = listSubnets(
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10], // shared space of carriers
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['::1', 128],
  ['fc00::', 7], // unique local
  ['fec0::', 10], // site-local
  ['100::', 64], // discard
  ['2001:db8::', 32], // documentation
  ['3fff::', 20], // documentation
  ['5f00::', 16], // segment routing
);
/** IPv6 networks that carry an IPv4 address, and the group at which it begins. The IPv4 address is the one that is judged. */
const CARRIERS = [
  { subnet: listSubnets(['::ffff:0:0', 96]), at: 6 }, // mapped
  { subnet: listSubnets(['::ffff:0:0:0', 96]), at: 6 }, // translated
  { subnet: listSubnets(['64:ff9b::', 96]), at: 6 }, // NAT64
  { subnet: listSubnets(['2002::', 16]), at: 1 }, // 6to4
];
/** The part of IPv6 that is assigned to the internet. The rest of ::/96 holds obsolete IPv4-compatible addresses. */
const ASSIGNED = listSubnets(['2000::', 3]);

function listSubnets(...subnets: [address: string, prefixBits: number][]): BlockList {
  const list = new BlockList();
  for (const [address, prefixBits] of subnets) list.addSubnet(address, prefixBits, isIPv4(address) ? 'ipv4' : 'ipv6');
  return list;
}

/** Takes the plain spelling of IPv4, as the URL parser writes it. Anything that is not an IP address is forbidden. */
export function classifyAddress(text: string): AddressKind {
  if (isIPv4(text)) return classify(text, 'ipv4');
  const address = text.replace(/%.*$/, ''); // the zone names an interface
  if (!isIPv6(address)) return 'forbidden';
  const carrier = CARRIERS.find(({ subnet }) => subnet.check(address, 'ipv6'));
  if (carrier) return classify(carriedIPv4(ipv6Groups(address), carrier.at), 'ipv4');
  const kind = classify(address, 'ipv6');
  return kind === 'public' && !ASSIGNED.check(address, 'ipv6') ? 'forbidden' : kind;
}

function classify(address: string, family: 'ipv4' | 'ipv6'): AddressKind {
  if (FORBIDDEN.check(address, family)) return 'forbidden';
  return PRIVATE.check(address, family) ? 'private' : 'public';
}

/** Returns the eight groups of a valid IPv6 address without a zone. */
export function ipv6Groups(address: string): number[] {
  // The URL parser writes hexadecimal groups, and the longest run of zeros as `::`.
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const [before, after] = [head, tail].map((part) =>
    part ? part.split(':').map((group) => Number.parseInt(group, 16)) : [],
  );
  return [...before!, ...Array<number>(8 - before!.length - after!.length).fill(0), ...after!];
}

/** Returns the IPv4 address in the two groups at `at`. */
export function carriedIPv4(groups: readonly number[], at: number): string {
  return groups
    .slice(at, at + 2)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

/** Whether a host name or address means this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost$|127\.[\d.]+$|(::1|\[::1\])$)/.test(host);
}
