import { expect, it } from 'vitest';
import { accountOf } from './client-account.ts';

type Request = Parameters<typeof accountOf>[0];

const request = (remoteAddress: string, more: Partial<Record<keyof Request, unknown>> = {}) =>
  ({ apiKey: null, headers: {}, ip: remoteAddress, socket: { remoteAddress }, ...more }) as Request;

it('is the key where there is one, whatever the address', () => {
  const apiKey = { id: 'k1' };
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  expect(accountOf(request('127.0.0.1', { apiKey, headers }))).toBe('key k1');
  expect(accountOf(request('8.8.8.8', { apiKey }))).toBe('key k1');
});

it('is the client address otherwise, in the one form of the service', () => {
  expect(accountOf(request('8.8.8.8'))).toBe('address 8.8.8.8');
  expect(accountOf(request('2001:db8:1:2:3::4'))).toBe(accountOf(request('2001:db8:1:2:9::9')));
  expect(accountOf(request('127.0.0.1'))).toBe('address 127.0.0.1');
});

it.each(['127.0.0.1', '::1', '::ffff:10.1.2.3', '10.1.2.3', '172.20.0.1', '192.168.1.1', 'fd00::1'])(
  'is one for all behind a proxy at %s that is not configured',
  (peer) => {
    for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip'])
      expect(accountOf(request(peer, { headers: { [header]: 'x' } }))).toBe('behind a proxy');
  },
);

it('is the address of a public peer whatever headers it sends, and the one that a trusted proxy names', () => {
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  expect(accountOf(request('8.8.8.8', { headers }))).toBe('address 8.8.8.8');
  const trusted = { headers, ip: '203.0.113.9', ips: ['127.0.0.1', '203.0.113.9'] };
  expect(accountOf(request('127.0.0.1', trusted))).toBe('address 203.0.113.9');
});
