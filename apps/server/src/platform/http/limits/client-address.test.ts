// Normalizes the addresses that limits count by, for any input of a proxy.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressOwner, clientAddress, knownClientAddress } from './client-address.ts';

describe('an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:51034', '203.0.113.7'],
    [' 203.0.113.7 ', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2'],
    ['[2001:db8:1:2::9]:51034', '2001:db8:1:2'],
    ['[2001:db8:1:2::9]', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['[fe80::1%eth0]:80', 'fe80:0:0:0'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0'],
  ])('normalizes %s to %s', (address, owner) => {
    expect(addressOwner(address)).toBe(owner);
  });

  it.each(['', 'unknown', '_hidden', '203.0.113.7:x', '203.0.113', '[203.0.113.7', '2001:db8::1::2'])(
    'rejects %j',
    (text) => expect(addressOwner(text)).toBeUndefined(),
  );

  it('ignores the port, and unites the addresses of one /64', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 0, max: 65_535 }), (address, port) => {
        expect(addressOwner(`${address}:${port}`)).toBe(addressOwner(address));
      }),
    );
    const word = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
    fc.assert(
      fc.property(fc.array(word, { minLength: 4, maxLength: 4 }), fc.array(word, { minLength: 4 }), (net, host) => {
        fc.pre(net.some((group) => group !== '0'));
        expect(addressOwner([...net, ...host.slice(0, 4)].join(':'))).toBe(addressOwner(`${net.join(':')}::`));
      }),
    );
  });
});

it("counts a made-up address as the proxy's own", () => {
  const socket = { remoteAddress: '::ffff:10.0.0.1' } as never;
  expect(clientAddress({ ip: 'unknown', socket })).toBe('10.0.0.1');
  expect(clientAddress({ ip: '203.0.113.7:1', socket })).toBe('203.0.113.7');
});

describe('the address of a client', () => {
  const from = (remoteAddress: string, ip = remoteAddress) => ({ ip, socket: { remoteAddress } as never });

  it.each([
    ['8.8.8.8', '8.8.8.8'],
    ['::ffff:8.8.8.8', '8.8.8.8'],
    ['2001:4860:4860:1::8888', '2001:4860:4860:1'],
    ['127.0.0.1', undefined],
    ['10.0.0.1', undefined],
    ['::ffff:192.168.1.1', undefined],
    ['fd00::1', undefined],
    ['fe80::1%eth0', undefined],
    ['', undefined],
  ])("is a public peer's own address without a trusted proxy: %s", (peer, client) => {
    expect(knownClientAddress(from(peer), false)).toBe(client);
  });

  it('is the address that a trusted proxy forwards, if that is valid', () => {
    expect(knownClientAddress(from('10.0.0.1', '8.8.8.8'), true)).toBe('8.8.8.8');
    expect(knownClientAddress(from('10.0.0.1', '192.168.1.7'), true)).toBe('192.168.1.7');
    expect(knownClientAddress(from('10.0.0.1', 'unknown'), true)).toBeUndefined();
  });
});
