// What the page tells in its console where the session asks for it: which screen is shown, and since when. Nothing personal.

import type { Screen } from '../../course/screens.ts';
import type { Platform } from '../platform.ts';

/** Words of the flow itself, never what somebody typed or showed. */
const DETAILS = ['doing', 'problem', 'state', 'why', 'how', 'operation'] as const;

/** From the second level on with the time that the screen before was there. */
export function createConsoleTeller(platform: Pick<Platform, 'now' | 'note'>) {
  let last = { text: '', at: platform.now() };
  return (screen: Screen, level: number): void => {
    const details = DETAILS.map((name) => Reflect.get(screen, name)).filter((value) => typeof value === 'string');
    const text = [screen.name, ...details].join(' ');
    if (level < 1 || text === last.text) return;
    const now = platform.now();
    platform.note(level < 2 ? `limen: ${text}` : `limen: ${text} (+${Math.round(now - last.at)} ms)`);
    last = { text, at: now };
  };
}
