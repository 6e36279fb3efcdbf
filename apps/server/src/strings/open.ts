// Puts the string store together.

import type { Context } from '../platform/context.ts';
import type { Amount } from '../platform/database/capacity.ts';
import type { Door } from '../platform/http/types.ts';
import { registerStringRoutes } from './routes.ts';
import { createStrings } from './service.ts';
import { createStringStore } from './store.ts';

/** `max`: maximum number and size of the strings of each world. `closed`: an API key is required. */
export function openStrings(context: Context, door: Door, { max, closed }: { max: Amount; closed: boolean }): void {
  const strings = createStrings(context, createStringStore(context.database), max);
  registerStringRoutes(door, { strings, closed });
}
