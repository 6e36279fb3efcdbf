// Addresses hold filters, but never ids chosen by hosts.
import { expect, it } from 'vitest';
import { buildSessionSearch, FILTER_NAMES, formatFragment, type Place, readPlace } from './address.ts';

it.each<Place>([
  { room: 'sessions', filters: {} },
  { room: 'sessions', filters: { kind: 'age', flag: 'FACE_SPOOF', since: '24h' } },
  { room: 'session', id: '5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57' },
  { room: 'screening', tab: 'search', filters: {} },
  { room: 'screening', tab: 'subjects', filters: { whose: 'live/acme & co', hits: 'open' } },
  { room: 'subject', id: '5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57' },
  { room: 'overview', filters: { days: '7', key: 'a b' } },
  { room: 'review', filters: { state: 'decided', overdue: 'true' } },
  { room: 'webhooks', filters: { stage: 'dead', since: '30d' } },
  { room: 'case', id: '5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57' },
  { room: 'keys' },
  { room: 'audit', filters: {} },
  { room: 'audit', filters: { who: 'command line', act: 'session.view', from: '2026-03-01', until: '2026-03-02' } },
  { room: 'operators' },
  { room: 'people' },
  { room: 'system' },
  { room: 'invite', invite: 'aB3-_' },
])('reads %o back from its address', (place) => {
  expect(readPlace(formatFragment(place))).toEqual(place);
});

it.each(['', '#', '#/', '#/sessions?nothing=1'])('reads %s as the list of sessions', (fragment) => {
  expect(readPlace(fragment)).toEqual({ room: 'sessions', filters: {} });
});

it.each(['#/elsewhere', '#/elsewhere/1', '#/sessions/%zz'])('reads %s as an unknown address', (fragment) => {
  expect(readPlace(fragment)).toEqual({ room: 'unknown' });
});

it('keeps transaction ids out of the address', () => {
  expect(FILTER_NAMES).not.toContain('transactionId');
  expect(readPlace('#/sessions?transactionId=order-7')).toEqual({ room: 'sessions', filters: {} });
  const subjects = '#/screening/subjects';
  expect(formatFragment(readPlace(`${subjects}?reference=customer-7&name=Ada`))).toBe(subjects);
});

it('rounds times to the minute', () => {
  const now = Date.UTC(2026, 0, 2, 3, 4, 5);
  expect(buildSessionSearch({ since: '1h', kind: 'age' }, now)).toEqual({
    kind: 'age',
    from: Date.UTC(2026, 0, 2, 2, 4),
  });
  expect(buildSessionSearch({ since: 'ever' }, now)).toEqual({});
});
