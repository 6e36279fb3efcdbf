// Puts the string store together.
import type { Amount } from '../../platform/capacity.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Access } from '../../platform/http/access.ts';
import type { HttpServer } from '../../platform/http/http-server.ts';
import type { Idempotency } from '../../platform/idempotency/idempotency.ts';
import type { Ids } from '../../platform/ids.ts';
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
