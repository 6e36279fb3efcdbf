// Filters live in the address, and ids that hosts chose do not.
import { expect, it } from 'vitest';
import { FILTER_NAMES, fragmentOf, type Place, readPlace, toSearch } from './address.ts';

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
])('%o comes back from its address', (place) => {
  expect(readPlace(fragmentOf(place))).toEqual(place);
});

it.each(['', '#', '#/', '#/sessions?nothing=1'])('%s is the list of sessions', (fragment) => {
  expect(readPlace(fragment)).toEqual({ room: 'sessions', filters: {} });
});

it.each(['#/elsewhere', '#/elsewhere/1', '#/sessions/%zz'])('%s is nowhere', (fragment) => {
  expect(readPlace(fragment)).toEqual({ room: 'unknown' });
});

it('has no transaction id in it', () => {
  expect(FILTER_NAMES).not.toContain('transactionId');
  expect(readPlace('#/sessions?transactionId=order-7')).toEqual({ room: 'sessions', filters: {} });
  const subjects = '#/screening/subjects';
  expect(fragmentOf(readPlace(`${subjects}?reference=customer-7&name=Ada`))).toBe(subjects);
});

it('counts times to the minute', () => {
  const now = Date.UTC(2026, 0, 2, 3, 4, 5);
  expect(toSearch({ since: '1h', kind: 'age' }, now)).toEqual({ kind: 'age', from: Date.UTC(2026, 0, 2, 2, 4) });
  expect(toSearch({ since: 'ever' }, now)).toEqual({});
});
