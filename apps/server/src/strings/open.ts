// Puts the string store together.

import type { Context } from '../platform/context.ts';
import type { Amount } from '../platform/database/capacity.ts';
import type { Door } from '../platform/http/types.ts';
import { registerStringRoutes } from './routes.ts';
import { createStrings } from './service.ts';
import { createStringStore } from './store.ts';

interface StringSettings {
  /** Maximum number and size of the strings of each world. */
  max: Amount;
  /** Whether an API key is required. */
  closed: boolean;
}

export function openStrings(context: Context, door: Door, { max, closed }: StringSettings): void {
  const { database, idempotency, clock, ids } = context;
  const strings = createStrings({ store: createStringStore(database), database, idempotency, clock, ids, max });
  registerStringRoutes(door, { strings, closed });
}
