// Location within the console. It is kept in the fragment, which never reaches a server or a log.
import type { ProviderRefusal } from '@limen/server/console';
import type { SessionFilters } from '@limen/server/console/sessions';
import { useEffect, useState } from 'preact/hooks';

export type Place =
  | { room: 'overview'; filters: OverviewFilters }
  | { room: 'review'; filters: ReviewFilters }
  | { room: 'case'; id: string }
  | { room: 'sessions'; filters: AddressFilters }
  | { room: 'session'; id: string }
  | { room: 'webhooks'; filters: WebhookAddressFilters }
  | { room: 'screening'; tab: ScreeningTab; filters: ScreeningFilters }
  | { room: 'subject'; id: string }
  | { room: 'keys' }
  | { room: 'audit'; filters: AuditFilters }
  | { room: 'operators' | 'people' | 'system' | 'unknown' }
  | { room: 'invite'; invite: string }
  | { room: 'refused'; why: ProviderRefusal };

/** Filters, without ids chosen by hosts. */
export const FILTER_NAMES = [
  'kind',
  'state',
  'recommendation',
  'outcome',
  'flag',
  'key',
  'world',
  'since',
  'id',
] as const;
export type FilterName = (typeof FILTER_NAMES)[number];
export type AddressFilters = Partial<Record<FilterName, string>>;

/** Rooms with a single address. */
const PLAIN_ROOMS = ['keys', 'operators', 'people', 'system'] as const;

const OVERVIEW_FILTER_NAMES = ['days', 'kind', 'world', 'key'] as const;
export type OverviewFilterName = (typeof OVERVIEW_FILTER_NAMES)[number];
export type OverviewFilters = Partial<Record<OverviewFilterName, string>>;

/** `who` is an operator id; days are UTC. */
const AUDIT_FILTER_NAMES = ['who', 'act', 'from', 'until'] as const;
export type AuditFilterName = (typeof AUDIT_FILTER_NAMES)[number];
export type AuditFilters = Partial<Record<AuditFilterName, string>>;

const REVIEW_FILTER_NAMES = ['state', 'kind', 'assignee', 'overdue', 'world'] as const;
export type ReviewFilterName = (typeof REVIEW_FILTER_NAMES)[number];
export type ReviewFilters = Partial<Record<ReviewFilterName, string>>;

export const WEBHOOK_FILTER_NAMES = ['stage', 'since', 'world', 'key'] as const;
export type WebhookFilterName = (typeof WEBHOOK_FILTER_NAMES)[number];
export type WebhookAddressFilters = Partial<Record<WebhookFilterName, string>>;

export const SCREENING_TABS = ['search', 'file', 'subjects', 'alerts', 'cleared', 'lists'] as const;
export type ScreeningTab = (typeof SCREENING_TABS)[number];
/** `whose` is a world, or a customer with its world: `live/acme`. */
const SCREENING_FILTER_NAMES = ['whose', 'state', 'hits', 'kind'] as const;
export type ScreeningFilterName = (typeof SCREENING_FILTER_NAMES)[number];
export type ScreeningFilters = Partial<Record<ScreeningFilterName, string>>;

/** Reason for refusing the identity provider's answer. */
export const REFUSALS = [
  'denied',
  'late',
  'unproven',
  'no-role',
  'name-taken',
] as const satisfies readonly ProviderRefusal[];

const SINCE_MS: Readonly<Record<string, number>> = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 };

export function readPlace(fragment: string): Place {
  try {
    return parseFragment(fragment);
  } catch {
    return { room: 'unknown' }; // malformed percent-encoding
  }
}

function parseFragment(fragment: string): Place {
  const [path = '', query = ''] = fragment.replace(/^#/, '').split('?');
  const invite = /^invite=([\w-]+)$/.exec(path)?.[1];
  if (invite !== undefined) return { room: 'invite', invite };
  const why = REFUSALS.find((reason) => path === `refused=${reason}`);
  if (why !== undefined) return { room: 'refused', why };
  const [, room, id, rest] = path.split('/');
  for (const plain of PLAIN_ROOMS) if (room === plain) return { room: plain };
  if (room === 'sessions' && id) return { room: 'session', id: decodeURIComponent(id) };
  if (room === 'audit') return { room, filters: readFilters(query, AUDIT_FILTER_NAMES) };
  if (room === 'overview') return { room, filters: readFilters(query, OVERVIEW_FILTER_NAMES) };
  if (room === 'review' && id) return { room: 'case', id: decodeURIComponent(id) };
  if (room === 'review') return { room, filters: readFilters(query, REVIEW_FILTER_NAMES) };
  if (room === 'webhooks') return { room, filters: readFilters(query, WEBHOOK_FILTER_NAMES) };
  if (room === 'screening') {
    if (id === 'subjects' && rest) return { room: 'subject', id: decodeURIComponent(rest) };
    const tab = SCREENING_TABS.find((name) => name === id) ?? 'search';
    return { room, tab, filters: readFilters(query, SCREENING_FILTER_NAMES) };
  }
  if (room && room !== 'sessions') return { room: 'unknown' };
  return { room: 'sessions', filters: readFilters(query, FILTER_NAMES) };
}

function readFilters<Name extends string>(query: string, names: readonly Name[]): Partial<Record<Name, string>> {
  const params = new URLSearchParams(query);
  const filters: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = params.get(name);
    if (value) filters[name] = value;
  }
  return filters;
}

function writeFilters(filters: object): string {
  const query = new URLSearchParams(filters as Record<string, string>).toString();
  return query === '' ? '' : `?${query}`;
}

export function formatFragment(place: Place): string {
  switch (place.room) {
    case 'overview':
    case 'audit':
    case 'review':
    case 'webhooks':
      return `#/${place.room}${writeFilters(place.filters)}`;
    case 'case':
      return `#/review/${encodeURIComponent(place.id)}`;
    case 'sessions':
      return `#/sessions${writeFilters(place.filters)}`;
    case 'session':
      return `#/sessions/${encodeURIComponent(place.id)}`;
    case 'screening':
      return `#/screening${place.tab === 'search' ? '' : `/${place.tab}`}${writeFilters(place.filters)}`;
    case 'subject':
      return `#/screening/subjects/${encodeURIComponent(place.id)}`;
    case 'invite':
      return `#invite=${place.invite}`;
    case 'refused':
      return `#refused=${place.why}`;
    default:
      return `#/${place.room}`;
  }
}

/** Rounded to the minute, so that polling repeats the same query. */
export function buildSessionSearch({ since, ...filters }: AddressFilters, now: number): SessionFilters {
  const ms = SINCE_MS[since ?? ''];
  const from = ms === undefined ? {} : { from: Math.floor((now - ms) / 60_000) * 60_000 };
  return { ...(filters as SessionFilters), ...from };
}

export function navigate(place: Place): void {
  location.hash = formatFragment(place);
}

export function usePlace(): Place {
  const [place, setPlace] = useState(() => readPlace(location.hash));
  useEffect(() => {
    const moved = () => setPlace(readPlace(location.hash));
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  return place;
}
