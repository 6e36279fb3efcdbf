// Names and addresses that are found, their order, and accepted arguments.
import { describe, expect, it } from 'vitest';
import { collectNames, type Machine, parseName } from './names.ts';

type Interfaces = Machine['interfaces'];

function interfaceOf(...addresses: string[]): NonNullable<Interfaces[string]> {
  return addresses.map((address) => {
    const common = { address, netmask: '', mac: '', internal: /^(127\.|::1$)/.test(address), cidr: null };
    return address.includes(':') ? { ...common, family: 'IPv6', scopeid: 0 } : { ...common, family: 'IPv4' };
  });
}

const machine = (interfaces: Interfaces, hostname = 'Laptop'): Machine => ({ hostname, interfaces });

describe('the names of this computer', () => {
  it('include localhost, its own name, and that in the local domain', () => {
    expect(collectNames(machine({}), []).dns).toEqual(['localhost', 'laptop', 'laptop.local']);
    expect(collectNames(machine({}, 'Laptop.local'), []).dns).toEqual(['localhost', 'laptop.local']);
    expect(collectNames(machine({}, 'laptop.home.example.'), []).dns).toEqual([
      'localhost',
      'laptop.home.example',
      'laptop.local',
    ]);
  });

  it('exclude a host name that no certificate can contain', () => {
    expect(collectNames(machine({}, 'my_old laptop'), []).dns).toEqual(['localhost']);
  });
});

describe('the addresses of this computer', () => {
  it('include loopback and those of its networks', () => {
    const found = collectNames(machine({ lo: interfaceOf('127.0.0.1', '::1'), wlan0: interfaceOf('192.168.1.5') }), []);
    expect(found).toMatchObject({ ip: ['127.0.0.1', '::1', '192.168.1.5'], lan: ['192.168.1.5'] });
  });

  it('start with the most likely one for a phone', () => {
    const { lan } = collectNames(
      machine({
        docker0: interfaceOf('172.17.0.1'),
        utun3: interfaceOf('100.64.0.7'),
        eth0: interfaceOf('169.254.3.4', 'fd00::2'),
        wlan0: interfaceOf('fd00::3', '192.168.1.5'),
      }),
      [],
    );
    expect(lan).toEqual(['192.168.1.5', '169.254.3.4', 'fd00::2', 'fd00::3', '172.17.0.1', '100.64.0.7']);
  });

  it('exclude IPv6 addresses that change daily or need a zone', () => {
    expect(collectNames(machine({ wlan0: interfaceOf('fe80::1', '2001:db8::1') }), []).lan).toEqual([]);
  });
});

describe('given names', () => {
  it('are added once, each to its kind', () => {
    const { dns, ip } = collectNames(machine({}), ['demo.example', '198.51.100.7', 'demo.example', '::1']);
    expect(dns).toEqual(['localhost', 'laptop', 'laptop.local', 'demo.example']);
    expect(ip).toEqual(['127.0.0.1', '::1', '198.51.100.7']);
  });

  it.each([
    ['Demo.Example.', 'demo.example'],
    [' laptop ', 'laptop'],
    ['192.168.1.5', '192.168.1.5'],
    ['FD00:0:0::2', 'fd00::2'],
  ])('normalizes %j to %j', (text, name) => {
    expect(parseName(text)).toBe(name);
  });

  it.each([
    '',
    'https://laptop',
    'laptop:8080',
    '*.example',
    'a..b',
    '-a',
    'a_b',
    '192.168.1.256',
    '192.168.1',
    'fe80::1%eth0',
    'a'.repeat(64),
    `${'a.'.repeat(127)}aa`,
    'näme',
    'a\nb',
  ])('rejects %j', (text) => {
    expect(parseName(text)).toBeUndefined();
  });
});
