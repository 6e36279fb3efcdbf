// Decides for an IP address whether the server may connect to it: the rule behind every outbound call.
import { isIPv6 } from 'node:net';

/**
 * `public`: the internet. `private`: loopback and networks of one's own, for which an operator may open the door.
 * `forbidden`: never a sensible destination, and often a dangerous one (credentials of the cloud machine).
 */
export type AddressKind = 'public' | 'private' | 'forbidden';

type WrittenRange = readonly [address: string, prefixBits: number];
/** Bytes and the bits of each that count. */
interface Range {
  start: readonly number[];
  masks: readonly number[];
}

// Registries: https://www.iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry.
const FORBIDDEN_4 = readRanges([
  ['0.0.0.0', 8], // this host
  ['169.254.0.0', 16], // link-local, and the metadata service of most clouds
  ['100.100.100.200', 32], // metadata service of Alibaba Cloud
  ['168.63.129.16', 32], // wire server of Azure
  ['192.0.0.192', 32], // metadata service of Oracle Cloud
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
]);
const PRIVATE_4 = readRanges([
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
]);
const FORBIDDEN_6 = readRanges([
  ['::', 128], // unspecified
  ['fe80::', 10], // link-local
  ['ff00::', 8], // multicast
  ['fd00:ec2::254', 128], // metadata service of AWS
  ['fd20:ce::254', 128], // metadata service of Google Cloud
  ['2001::', 32], // Teredo: hides an IPv4 address
  ['64:ff9b:1::', 48], // NAT64 of one's own: hides an IPv4 address
]);
const PRIVATE_6 = readRanges([
  ['::1', 128],
  ['fc00::', 7], // unique local
  ['fec0::', 10], // site-local
  ['100::', 64], // discard
  ['2001:db8::', 32], // documentation
  ['3fff::', 20], // documentation
  ['5f00::', 16], // segment routing
]);
/** An IPv4 address in the clothes of an IPv6 one is judged as what it is. */
const CARRIERS = [
  { range: readRange(['::ffff:0:0', 96]), offset: 12 }, // mapped
  { range: readRange(['::ffff:0:0:0', 96]), offset: 12 }, // translated
  { range: readRange(['64:ff9b::', 96]), offset: 12 }, // NAT64
  { range: readRange(['2002::', 16]), offset: 2 }, // 6to4
];

/** All of IPv6 that has been given out as public. */
const GIVEN_OUT = readRange(['2000::', 3]);

/** Text that is no IP address is forbidden. */
export function classifyAddress(address: string): AddressKind {
  const four = parseIPv4(address);
  if (four) return classify(four, FORBIDDEN_4, PRIVATE_4);
  const six = parseIPv6(address);
  if (!six) return 'forbidden';
  const carrier = CARRIERS.find(({ range }) => isWithin(six, range));
  if (carrier) return classify(six.slice(carrier.offset, carrier.offset + 4), FORBIDDEN_4, PRIVATE_4);
  const kind = classify(six, FORBIDDEN_6, PRIVATE_6);
  // What is left of ::/96 are the IPv4-compatible addresses of old.
  return kind === 'public' && !isWithin(six, GIVEN_OUT) ? 'forbidden' : kind;
}

function classify(bytes: readonly number[], forbidden: readonly Range[], own: readonly Range[]): AddressKind {
  if (forbidden.some((range) => isWithin(bytes, range))) return 'forbidden';
  return own.some((range) => isWithin(bytes, range)) ? 'private' : 'public';
}

function isWithin(bytes: readonly number[], { start, masks }: Range): boolean {
  return masks.every((mask, index) => (bytes[index]! & mask) === start[index]);
}

function readRanges(written: readonly WrittenRange[]): Range[] {
  return written.map(readRange);
}

/** Bytes without a bit that counts are left out. */
function readRange([address, prefixBits]: WrittenRange): Range {
  const bytes = parseIPv4(address) ?? parseIPv6(address)!;
  const bitsOf = (index: number) => Math.min(8, prefixBits - index * 8);
  const masks = bytes.map((_, index) => (0xff00 >> bitsOf(index)) & 0xff).slice(0, Math.ceil(prefixBits / 8));
  return { start: masks.map((mask, index) => bytes[index]! & mask), masks };
}

/** Only the dotted form with four plain numbers; every other spelling has been normalised by the URL parser. */
function parseIPv4(text: string): number[] | undefined {
  if (!/^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/.test(text)) return undefined;
  const bytes = text.split('.').map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function parseIPv6(text: string): number[] | undefined {
  const plain = text.replace(/%.*$/, ''); // the zone says which interface, not which address
  if (!isIPv6(plain)) return undefined;
  // The URL parser spells it one way: hexadecimal groups, the longest run of zeros as `::`.
  const [head = '', tail] = new URL(`http://[${plain}]/`).hostname.slice(1, -1).split('::');
  const groups = (part: string | undefined) => (part ? part.split(':').map((group) => Number.parseInt(group, 16)) : []);
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]);
}

/** Whether nobody but this machine is behind a host. */
export function isLoopback(host: string): boolean {
  return /^(localhost$|127\.[\d.]+$|(::1|\[::1\])$)/.test(host);
}
