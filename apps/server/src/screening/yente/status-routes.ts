// Routes that yente clients call before they match: lists, algorithms and readiness.
import { createHash } from 'node:crypto';
import {
  type Dataset,
  ref,
  YenteAlgorithms,
  YenteCatalog,
  type YenteDataset,
  YenteError,
  YenteStatus,
} from '@limen/contract';
import type { TSchema } from 'typebox';
import { AppError } from '../../platform/base/errors.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { READY } from '../../platform/watch/readiness.ts';
import type { Catalogue } from '../lists/catalogue/catalogue.ts';
import { ALGORITHMS } from './algorithms.ts';
import { REFUSALS, type RouteParts } from './route-parts.ts';

export function registerStatusRoutes(app: HttpServer, { about, guard }: RouteParts, catalogue: Catalogue): void {
  const probe = { config: { unlimited: true } } as const;
  const { tags } = about;
  const described = (summary: string, reply: TSchema) => ({
    ...guard,
    schema: { ...about, summary, response: { 200: reply, 401: REFUSALS[401] } },
  });

  app.get(
    '/yente/catalog',
    described('List datasets as yente does', ref(YenteCatalog, 'Collections and lists.')),
    async () => writeCatalog(catalogue.describe()),
  );
  app.get(
    '/yente/algorithms',
    described('List algorithms', ref(YenteAlgorithms, 'Our own, and the names that stand for it.')),
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

function writeCatalog(datasets: readonly Dataset[]): YenteCatalog {
  const builtAt = new Map(datasets.map(({ name, builtAt }) => [name, builtAt]));
  const written = datasets.map((dataset) => writeDataset(dataset, builtAt));
  const namesOf = (isCurrent: boolean) =>
    written.filter(({ index_current }) => index_current === isCurrent).map(({ name }) => name);
  const outdated = namesOf(false);
  return { datasets: written, current: namesOf(true), outdated, index_stale: outdated.length > 0 };
}

function writeDataset(dataset: Dataset, builtAt: ReadonlyMap<string, string | undefined>): YenteDataset {
  const { name, kind, status, version = '', entityCount = 0, members = [], problem } = dataset;
  const isReady = status === 'ready';
  // Newest of the lists of a collection.
  const times = [name, ...members].flatMap((list) => builtAt.get(list) ?? []).sort();
  return {
    name,
    title: kind === 'collection' ? (TITLES[name] ?? name) : name,
    load: isReady,
    version,
    index_version: isReady ? formatStamp(times.at(-1), version) : null,
    // The problem of an incomplete collection belongs to the missing list.
    index_current: isReady && (kind === 'collection' || problem === undefined),
    children: members,
    tags: [kind],
    entity_count: entityCount,
    entities_url: null,
    delta_url: null,
  };
}

const TITLES: Readonly<Record<string, string>> = {
  default: 'All lists',
  sanctions: 'Sanctions',
  peps: 'Politically exposed people',
};

/** Returns `YYYYMMDDHHMMSS` and a few digits that change with the version. */
function formatStamp(time: string | undefined, version: string): string {
  const digits = (time ?? '').replaceAll(/\D/g, '').slice(0, 14).padEnd(14, '0');
  return `${digits}-${createHash('sha256').update(version).digest('hex').slice(0, 3)}`;
}
