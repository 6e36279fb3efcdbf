import { expect, it } from 'vitest';
import { findWorkOwner } from './client-account.ts';

type Request = Parameters<typeof findWorkOwner>[0];

const request = (remoteAddress: string, more: Partial<Record<keyof Request, unknown>> = {}) =>
  ({ apiKey: null, headers: {}, ip: remoteAddress, socket: { remoteAddress }, ...more }) as Request;

it('is the customer and world of the key, whatever the address', () => {
  const apiKey = { id: 'k1', customer_id: 'acme', kind: 'live' };
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  const account = findWorkOwner(request('127.0.0.1', { apiKey, headers }));
  expect(account.isStranger).toBe(false);
  expect(findWorkOwner(request('8.8.8.8', { apiKey: { ...apiKey, id: 'k2' } }))).toEqual(account);
  for (const other of [{ kind: 'test' }, { customer_id: 'other' }, { customer_id: null }])
    expect(findWorkOwner(request('8.8.8.8', { apiKey: { ...apiKey, ...other } })).id).not.toBe(account.id);
});

it('is the normalized client address without a key', () => {
  expect(findWorkOwner(request('8.8.8.8'))).toEqual({ id: 'address 8.8.8.8', isStranger: true });
  expect(findWorkOwner(request('127.0.0.1')).id).toBe('address 127.0.0.1');
});

it('is shared by all addresses of an IPv6 /48', () => {
  const { id } = findWorkOwner(request('2001:db8:1:2:3::4'));
  expect(findWorkOwner(request('2001:db8:1:ffff::9')).id).toBe(id);
  expect(findWorkOwner(request('2001:db8:2:2:3::4')).id).not.toBe(id);
});

it.each(['127.0.0.1', '::1', '::ffff:10.1.2.3', '10.1.2.3', '172.20.0.1', '192.168.1.1', 'fd00::1'])(
  'is shared by all clients of an unconfigured proxy at %s',
  (peer) => {
    for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip'])
      expect(findWorkOwner(request(peer, { headers: { [header]: 'x' } })).id).toBe('behind a proxy');
  },
);

it("is a public peer's own address, or the one that a trusted proxy forwards", () => {
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  expect(findWorkOwner(request('8.8.8.8', { headers })).id).toBe('address 8.8.8.8');
  const trusted = { headers, ip: '203.0.113.9', ips: ['127.0.0.1', '203.0.113.9'] };
  expect(findWorkOwner(request('127.0.0.1', trusted)).id).toBe('address 203.0.113.9');
});
