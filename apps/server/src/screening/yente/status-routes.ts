// What clients of yente ask before they match: which lists and algorithms there are, and whether it is ready.
import { ref, YenteAlgorithms, YenteCatalog, YenteError, YenteStatus } from '@limen/contract';
import { AppError } from '../../platform/base/errors.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { READY } from '../../platform/watch/readiness.ts';
import type { Catalogue } from '../lists/catalogue/catalogue.ts';
import { ALGORITHMS } from './algorithms.ts';
import { describeRoute, REFUSALS, type RouteParts } from './route-parts.ts';
import { writeCatalog } from './write-catalog.ts';

interface StatusRoutes extends RouteParts {
  catalogue: Pick<Catalogue, 'describe' | 'progress'>;
}

export function registerStatusRoutes(app: HttpServer, { catalogue, ...parts }: StatusRoutes): void {
  const described = describeRoute(parts);
  const probe = { config: { unlimited: true } } as const;
  const { tags } = described;

  app.get(
    '/yente/catalog',
    {
      ...parts.guard,
      schema: {
        ...described,
        summary: 'List datasets as yente does',
        response: { 200: ref(YenteCatalog, 'Collections and lists.'), 401: REFUSALS[401] },
      },
    },
    async () => writeCatalog(catalogue.describe()),
  );

  app.get(
    '/yente/algorithms',
    {
      ...parts.guard,
      schema: {
        ...described,
        summary: 'List algorithms',
        response: { 200: ref(YenteAlgorithms, 'Our own, and the names that stand for it.'), 401: REFUSALS[401] },
      },
    },
    async () => ALGORITHMS,
  );

  app.get(
    '/yente/healthz',
    {
      ...probe,
      schema: { tags, summary: 'Whether the service answers', response: { 200: ref(YenteStatus, 'It does.') } },
    },
    async () => ({ status: 'ok' as const }),
  );

  app.get(
    '/yente/readyz',
    {
      ...probe,
      schema: {
        tags,
        summary: 'Whether the lists are loaded',
        response: { 200: ref(YenteStatus, 'They are.'), 503: ref(YenteError, '`Index not ready.`') },
      },
    },
    async () => {
      if (catalogue.progress() !== READY) throw new AppError('unavailable', 'Index not ready.');
      return { status: 'ok' as const };
    },
  );
}
