// Puts the string store together.

import type { Clock } from '../platform/base/clock.ts';
import type { Ids } from '../platform/base/ids.ts';
import type { Amount } from '../platform/database/capacity.ts';
import type { Database } from '../platform/database/database.ts';
import type { Access } from '../platform/http/access.ts';
import type { HttpServer } from '../platform/http/types.ts';
import type { Idempotency } from '../platform/idempotency/idempotency.ts';
import { registerStringRoutes } from './routes.ts';
import { createStrings } from './service.ts';
import { createStringStore } from './store.ts';

interface OpenStrings {
  http: HttpServer;
  access: Access;
  database: Database;
  idempotency: Idempotency;
  clock: Clock;
  ids: Ids;
  /** In each world. */
  max: Amount;
  /** Whether an API key is asked for. */
  closed: boolean;
}

export function openStrings({ http, access, closed, ...parts }: OpenStrings): void {
  const strings = createStrings({ ...parts, store: createStringStore(parts.database) });
  registerStringRoutes(http, { strings, access, closed });
}
