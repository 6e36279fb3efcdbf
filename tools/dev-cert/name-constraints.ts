// What a development authority may vouch for: local names and networks, so that its key is of no use for the web at large.
import { BlockList, isIP, SocketAddress } from 'node:net';

/** X.509's extension "name constraints" (RFC 5280, 4.2.1.10). */
export const NAME_CONSTRAINTS = '2.5.29.30';

/** Names that nobody owns, with all names below them. */
const LOCAL_NAMES = ['localhost', 'local', 'lan', 'home.arpa', 'internal', 'test'];
const LOCAL_NETWORKS = [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
  ['::1', 128],
  ['fc00::', 7],
] as const;

const localNetworks = new BlockList();
for (const [address, bits] of LOCAL_NETWORKS) localNetworks.addSubnet(address, bits, familyOf(address));

/** The extension's value: everything local, and beyond it exactly the names that were asked for. */
export function encodeConstraints(names: readonly string[]): Buffer {
  const subtrees = [
    ...LOCAL_NAMES.map(encodeName),
    ...LOCAL_NETWORKS.map(([address, bits]) => encodeNetwork(address, bits)),
    ...names.filter((name) => !isLocal(name)).map(encodeExactly),
  ];
  return encode(0x30, encode(0xa0, ...subtrees));
}

/** The names that an authority with this extension may not vouch for. */
export function findUncovered(constraints: Buffer, names: readonly string[]): string[] {
  return names.filter((name) => !isLocal(name) && !constraints.includes(encodeExactly(name)));
}

function isLocal(name: string): boolean {
  if (isIP(name) !== 0) return localNetworks.check(name, familyOf(name));
  return LOCAL_NAMES.some((local) => name === local || name.endsWith(`.${local}`));
}

function encodeExactly(name: string): Buffer {
  return isIP(name) === 0 ? encodeName(name) : encodeNetwork(name, isIP(name) === 4 ? 32 : 128);
}

function encodeName(name: string): Buffer {
  return encode(0x30, encode(0x82, Buffer.from(name, 'ascii')));
}

function encodeNetwork(address: string, bits: number): Buffer {
  const bytes = addressBytes(address);
  const mask = bytes.map((_byte, index) => 0xff00 >> Math.min(8, Math.max(0, bits - 8 * index)));
  return encode(0x30, encode(0x87, bytes, mask));
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const plain = new SocketAddress({ address, family: 'ipv6' }).address;
  const [head = [], tail = []] = plain.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return Buffer.from([...head, ...zeros, ...tail].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** Tag, length and content in DER. */
function encode(tag: number, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
