// Addresses that the server may call. Spellings go through the URL parser, as in a call.
import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyAddress } from './classify-address.ts';

describe('an address', () => {
  it.each([
    ['1.1.1.1', 'public'],
    ['8.8.8.8', 'public'],
    ['172.15.255.255', 'public'],
    ['172.32.0.1', 'public'],
    ['100.63.255.255', 'public'],
    ['100.128.0.1', 'public'],
    ['223.255.255.255', 'public'],
    ['2606:4700:4700::1111', 'public'],
    ['2a00:1450:4001:82a::200e', 'public'],
    ['127.0.0.1', 'private'],
    ['127.255.255.254', 'private'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['198.19.0.1', 'private'],
    ['203.0.113.7', 'private'],
    ['::1', 'private'],
    ['fc00::1', 'private'],
    ['fdff:ffff::1', 'private'],
    ['fec0::1', 'private'],
    ['2001:db8::1', 'private'],
    ['0.0.0.0', 'forbidden'],
    ['0.1.2.3', 'forbidden'],
    ['169.254.0.1', 'forbidden'],
    ['169.254.169.254', 'forbidden'],
    ['169.254.170.2', 'forbidden'],
    ['100.100.100.200', 'forbidden'],
    ['168.63.129.16', 'forbidden'],
    ['192.0.0.192', 'forbidden'],
    ['224.0.0.1', 'forbidden'],
    ['239.255.255.255', 'forbidden'],
    ['255.255.255.255', 'forbidden'],
    ['::', 'forbidden'],
    ['fe80::1', 'forbidden'],
    ['fe80::1%eth0', 'forbidden'],
    ['febf::1', 'forbidden'],
    ['ff02::1', 'forbidden'],
    ['fd00:ec2::254', 'forbidden'],
    ['fd20:ce::254', 'forbidden'],
    ['2001::1', 'forbidden'],
    ['4000::1', 'forbidden'],
    // An IPv4 address inside an IPv6 one
    ['::ffff:1.1.1.1', 'public'],
    ['::ffff:127.0.0.1', 'private'],
    ['::ffff:7f00:1', 'private'],
    ['::ffff:169.254.169.254', 'forbidden'],
    ['::ffff:a9fe:a9fe', 'forbidden'],
    ['::ffff:0:10.0.0.1', 'private'],
    ['::ffff:0.0.0.0', 'forbidden'],
    ['64:ff9b::1.1.1.1', 'public'],
    ['64:ff9b::169.254.169.254', 'forbidden'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['64:ff9b:1::10.0.0.1', 'forbidden'],
    ['2002:a9fe:a9fe::1', 'forbidden'],
    ['2002:7f00:1::', 'private'],
    ['2002:101:101::', 'public'],
    ['::7f00:1', 'forbidden'],
    // No address at all
    ['localhost', 'forbidden'],
    ['127.1', 'forbidden'],
    ['0177.0.0.1', 'forbidden'],
    ['256.1.1.1', 'forbidden'],
    ['1.1.1.1.1', 'forbidden'],
    ['2606:4700::1]/', 'forbidden'],
    ['[::1]', 'forbidden'],
    ['', 'forbidden'],
  ] as const)('%s is classified as %s', (address, kind) => {
    expect(classifyAddress(address)).toBe(kind);
  });

  it.each([
    ['http://2130706433/', 'private'],
    ['http://0x7f.1/', 'private'],
    ['http://0177.0.0.1/', 'private'],
    ['http://127.1/', 'private'],
    ['http://0xa9fea9fe/', 'forbidden'],
    ['http://2852039166/', 'forbidden'],
    ['http://0251.0376.0251.0376/', 'forbidden'],
    ['http://１６９.254.169.254/', 'forbidden'],
    ['http://0/', 'forbidden'],
    ['http://[::ffff:169.254.169.254]/', 'forbidden'],
    ['http://[0:0:0:0:0:ffff:7f00:0001]/', 'private'],
  ] as const)('spelled %s is classified as %s', (url, kind) => {
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    expect(isIP(host)).not.toBe(0);
    expect(classifyAddress(host)).toBe(kind);
  });

  it('has the same class when mapped into IPv6 and through NAT64', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const kind = classifyAddress(address);
        expect(classifyAddress(`::ffff:${address}`)).toBe(kind);
        expect(classifyAddress(`64:ff9b::${address}`)).toBe(kind);
      }),
    );
  });

  it('has a class for any text', () => {
    const kinds = ['public', 'private', 'forbidden'];
    fc.assert(
      fc.property(fc.oneof(fc.ipV6(), fc.string()), (text) => {
        expect(kinds).toContain(classifyAddress(text));
      }),
    );
  });
});
