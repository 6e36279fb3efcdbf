// Registers the routes of yente in a scope with error replies of its own.
import type { Logger } from 'pino';
import { inOwnScope } from '../../platform/http/own-scope.ts';
import type { Door } from '../../platform/http/types.ts';
import type { Catalogue } from '../lists/catalogue/catalogue.ts';
import type { Matcher } from '../match/matcher.ts';
import { registerEntityRoutes } from './entity-routes.ts';
import { registerMatchRoute } from './match-route.ts';
import { refuseAsYente } from './refusal.ts';
import { createRouteParts } from './route-parts.ts';
import { registerSearchRoute } from './search-route.ts';
import { registerStatusRoutes } from './status-routes.ts';

/** `closed`: an API key is required. */
export function openYente(log: Logger, door: Door, closed: boolean, catalogue: Catalogue, matcher: Matcher): void {
  const { http, access } = door;
  const parts = createRouteParts(access, log, closed);
  inOwnScope(http, (scope) => {
    scope.setErrorHandler(refuseAsYente);
    registerMatchRoute(scope, parts, matcher);
    registerSearchRoute(scope, parts, matcher);
    registerEntityRoutes(scope, parts, matcher);
    registerStatusRoutes(scope, parts, catalogue);
  });
}
