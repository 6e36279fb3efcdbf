// Where in the console one is: in the fragment, which no server and no log ever sees.
import type { SessionFilters } from '@limen/server/console';
import { useEffect, useState } from 'preact/hooks';

export type Place =
  | { room: 'sessions'; filters: AddressFilters }
  | { room: 'session'; id: string }
  | { room: 'keys' }
  | { room: 'audit' }
  | { room: 'invite'; invite: string };

/** Ids that hosts chose are not among them. */
export const FILTER_NAMES = ['kind', 'state', 'recommendation', 'outcome', 'flag', 'key', 'world', 'since'] as const;
export type FilterName = (typeof FILTER_NAMES)[number];
export type AddressFilters = Partial<Record<FilterName, string>>;

const SINCE_MS: Readonly<Record<string, number>> = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 };

export function readPlace(fragment: string): Place {
  const [path = '', query = ''] = fragment.replace(/^#/, '').split('?');
  const invite = /^invite=([\w-]+)$/.exec(path)?.[1];
  if (invite !== undefined) return { room: 'invite', invite };
  const [, room, id] = path.split('/');
  if (room === 'keys' || room === 'audit') return { room };
  if (room === 'sessions' && id) return { room: 'session', id: decodeURIComponent(id) };
  const given = new URLSearchParams(query);
  const filters: AddressFilters = {};
  for (const name of FILTER_NAMES) {
    const value = given.get(name);
    if (value) filters[name] = value;
  }
  return { room: 'sessions', filters };
}

export function fragmentOf(place: Place): string {
  switch (place.room) {
    case 'sessions': {
      const query = new URLSearchParams(place.filters as Record<string, string>).toString();
      return `#/sessions${query === '' ? '' : `?${query}`}`;
    }
    case 'session':
      return `#/sessions/${encodeURIComponent(place.id)}`;
    case 'invite':
      return `#invite=${place.invite}`;
    default:
      return `#/${place.room}`;
  }
}

/** To the minute, so that a list that looks again asks the same. */
export function toSearch({ since, ...filters }: AddressFilters, now: number): SessionFilters {
  const ms = SINCE_MS[since ?? ''];
  const from = ms === undefined ? {} : { from: Math.floor((now - ms) / 60_000) * 60_000 };
  return { ...(filters as SessionFilters), ...from };
}

export function go(place: Place): void {
  location.hash = fragmentOf(place);
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
