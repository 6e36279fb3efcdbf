// Decides which key signs, and how long keys are published, by rows and time alone, so that all
// processes agree.
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

/** `next`: published, signs later. `retired`: published until all its signatures have expired. */
type SigningKeyState = 'next' | 'signing' | 'retired' | 'expired';

/** Returns when a later key of its world takes over. */
export function retiresAt({ world, number }: KeyTimes, keys: readonly KeyTimes[]): number | undefined {
  const later = keys.filter((key) => key.world === world && key.number > number);
  return later.length === 0 ? undefined : Math.min(...later.map(({ signs_from }) => signs_from));
}

/** Returns the end of the publication, or undefined while no later key exists. */
export function publishedUntil(key: KeyTimes, keys: readonly KeyTimes[]): number | undefined {
  const end = retiresAt(key, keys);
  return end === undefined ? undefined : end + LASTING_LIFETIME_MS + CLOCK_GRACE_MS;
}

export function findKeyState(key: KeyTimes, keys: readonly KeyTimes[], now: number): SigningKeyState {
  const until = publishedUntil(key, keys);
  if (until !== undefined && until <= now) return 'expired';
  const ofWorld = keys.filter(({ world }) => world === key.world);
  const signing = chooseSigning(ofWorld, now);
  if (signing?.id === key.id) return 'signing';
  return signing !== undefined && signing.number > key.number ? 'retired' : 'next';
}

/** Returns the newest key of a world whose time has come. On a slow clock, that may be none; then the first key signs. */
export function chooseSigning<Key extends KeyTimes>(keys: readonly Key[], now: number): Key | undefined {
  const byNumber = keys.toSorted((a, b) => a.number - b.number);
  return byNumber.findLast(({ signs_from }) => signs_from <= now) ?? byNumber[0];
}
