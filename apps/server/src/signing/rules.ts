// Which key signs, which ones are published, and for how long: told by the rows and the time alone, so that all processes agree.
import type { World } from '../platform/base/world.ts';
import { CLOCK_GRACE_MS, LASTING_LIFETIME_MS } from './limits.ts';

export const WORLDS: readonly World[] = ['live', 'test'];

export interface KeyTimes {
  id: string;
  world: World;
  number: number;
  created_at: number;
  signs_from: number;
}

/** `next`: published, and signs later. `retired`: published until everything it signed has expired. */
type SigningKeyState = 'next' | 'signing' | 'retired' | 'expired';

/** When a later key of its world took over, or will. */
export function retiresAt({ world, number }: KeyTimes, keys: readonly KeyTimes[]): number | undefined {
  const later = keys.filter((other) => other.world === world && other.number > number);
  return later.length === 0 ? undefined : Math.min(...later.map(({ signs_from }) => signs_from));
}

/** Until when it is published; undefined while no other is to take over. */
export function publishedUntil(key: KeyTimes, keys: readonly KeyTimes[]): number | undefined {
  const end = retiresAt(key, keys);
  return end === undefined ? undefined : end + LASTING_LIFETIME_MS + CLOCK_GRACE_MS;
}

export function stateOf(key: KeyTimes, keys: readonly KeyTimes[], now: number): SigningKeyState {
  const until = publishedUntil(key, keys);
  if (until !== undefined && until <= now) return 'expired';
  const signing = chooseSigning(
    keys.filter(({ world }) => world === key.world),
    now,
  );
  if (signing?.id === key.id) return 'signing';
  return signing !== undefined && signing.number > key.number ? 'retired' : 'next';
}

/** Of the keys of one world, the newest whose time has come; before that of any, by a clock that is behind, the first. */
export function chooseSigning<Key extends KeyTimes>(keys: readonly Key[], now: number): Key | undefined {
  const byNumber = keys.toSorted((one, other) => one.number - other.number);
  return byNumber.findLast(({ signs_from }) => signs_from <= now) ?? byNumber[0];
}
