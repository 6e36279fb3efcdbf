// Screening API compatible with yente. See docs/yente.md.
import { type Static, Type } from 'typebox';
import { ref } from './ref.ts';

export const YENTE_QUERIES_MAX = 100;
/** Maximum number of values per property of an example, equal to that of a listed entity. */
const YENTE_VALUES_MAX = 5_000;
export const YENTE_RESULTS_MAX = 500;
export const YENTE_THRESHOLD_DEFAULT = 0.7;
/** yente’s default. */
const YENTE_CUTOFF_DEFAULT = 0.5;
export const YENTE_ALGORITHM = 'limen-v1';

/** Repeatable parameter: a string if given once, otherwise an array. */
const Several = (description: string, maxItems = 100) =>
  Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      items: { type: 'string', maxLength: 500 },
      maxItems,
      maxLength: 500,
      description: `${description} Repeatable.`,
    }),
  );

const filters = {
  include_dataset: Several('Returns only entities of these lists.'),
  exclude_dataset: Several('Excludes entities of these lists.'),
  exclude_schema: Several('Excludes entities of these schemas.'),
  topics: Several('Returns only entities with one of these topics, such as `sanction` or `role.pep`.'),
  changed_since: Type.Optional(
    Type.String({
      pattern: '^\\d{4}-\\d{2}-\\d{2}([T ]\\d{2}:\\d{2}(:\\d{2})?)?Z?$',
      description: 'Returns only entities that the list changed on or after this date, such as `2026-01-31`.',
    }),
  ),
};

export const YenteMatchQuery = Type.Object({
  limit: Type.Integer({ maximum: YENTE_RESULTS_MAX, default: 5, description: 'Maximum number of results per query.' }),
  threshold: Type.Number({
    default: YENTE_THRESHOLD_DEFAULT,
    description: 'Minimum score of a match, on yente’s scale.',
  }),
  cutoff: Type.Number({
    default: YENTE_CUTOFF_DEFAULT,
    description: 'Minimum score of a result, whether or not it is a match.',
  }),
  algorithm: Type.String({
    default: YENTE_ALGORITHM,
    description: `\`${YENTE_ALGORITHM}\`. The names of yente’s algorithms are accepted as synonyms.`,
  }),
  ...filters,
  exclude_entity_ids: Several('Excludes entities with these ids, including their ids in other lists.', 50),
});
export type YenteMatchQuery = Static<typeof YenteMatchQuery>;

/** Unknown fields are ignored, and so are weights and configuration. */
export const YenteExample = Type.Object(
  {
    id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    schema: Type.String({ description: 'FollowTheMoney schema, such as `Person`, `Company` or `Vessel`.' }),
    properties: Type.Unsafe<Record<string, string | unknown[]>>({
      type: 'object',
      additionalProperties: { type: ['string', 'array'], maxItems: YENTE_VALUES_MAX },
      description: `FollowTheMoney properties, each with one or more values, at most ${YENTE_VALUES_MAX}.`,
      examples: [{ name: ['Maria Beispiel'], birthDate: ['1970-01-01'], country: ['at'] }],
    }),
  },
  { $id: 'YenteExample', description: 'Known properties of the entity to look for.' },
);
export type YenteExample = Static<typeof YenteExample>;

export const YenteMatchRequest = Type.Object(
  {
    queries: Type.Record(Type.String(), ref(YenteExample), {
      maxProperties: YENTE_QUERIES_MAX,
      description: `1 to ${YENTE_QUERIES_MAX} queries, each under a key of your choice.`,
      examples: [{ q1: { schema: 'Person', properties: { name: ['Maria Beispiel'] } } }],
    }),
  },
  { $id: 'YenteMatchRequest' },
);
export type YenteMatchRequest = Static<typeof YenteMatchRequest>;

const Time = Type.Union([Type.String(), Type.Null()], {
  description: 'Time in seconds resolution, without a time zone.',
});

const entityFields = {
  id: Type.String(),
  caption: Type.String(),
  schema: Type.String(),
  properties: Type.Record(Type.String(), Type.Array(Type.String())),
  datasets: Type.Array(Type.String()),
  referents: Type.Array(Type.String(), { description: 'Other ids of the same entity.' }),
  target: Type.Boolean(),
  first_seen: Time,
  last_seen: Time,
  last_change: Time,
};

export const YenteEntity = Type.Object(entityFields, { $id: 'YenteEntity', description: 'A listed entity.' });
export type YenteEntity = Static<typeof YenteEntity>;

const Total = Type.Object({
  value: Type.Integer({ minimum: 0 }),
  relation: Type.Union([Type.Literal('eq'), Type.Literal('gte')], {
    description: '`gte` if there are more results than were counted.',
  }),
});
export type YenteTotal = Static<typeof Total>;
const Score = Type.Number({ minimum: 0, maximum: 1 });

export const YenteResult = Type.Object(
  {
    ...entityFields,
    score: Score,
    match: Type.Boolean({ description: 'Whether the score reaches the threshold.' }),
    explanations: Type.Record(
      Type.String(),
      Type.Object({ score: Score, detail: Type.String(), query: Type.String(), candidate: Type.String() }),
      { description: 'Scores by feature: `name`, `birthDate`, `identifier`, `country`, `address`.' },
    ),
  },
  { $id: 'YenteResult', description: 'A listed entity that may match the query.' },
);
export type YenteResult = Static<typeof YenteResult>;

export const YenteMatchReply = Type.Object(
  {
    responses: Type.Record(
      Type.String(),
      Type.Object({
        status: Type.Integer(),
        results: Type.Array(ref(YenteResult), { description: 'Best first.' }),
        total: Total,
        query: Type.Object({
          id: Type.Union([Type.String(), Type.Null()]),
          schema: Type.String(),
          properties: Type.Record(Type.String(), Type.Array(Type.String())),
        }),
      }),
      { description: 'Responses under the keys of the queries.' },
    ),
    limit: Type.Integer({ description: 'Limit of results per query that was applied.' }),
  },
  { $id: 'YenteMatchReply' },
);
export type YenteMatchReply = Static<typeof YenteMatchReply>;

export const YenteSearchQuery = Type.Object({
  q: Type.String({
    default: '',
    maxLength: 1_000,
    description: 'Words of a name, or an identifier. Empty returns everything.',
  }),
  schema: Type.String({ default: 'Thing', description: 'Schema to search, including its subtypes.' }),
  countries: Several('Returns only entities of these countries.'),
  datasets: Several('Returns only entities of these lists.'),
  ...filters,
  limit: Type.Integer({ maximum: YENTE_RESULTS_MAX, default: 10 }),
  offset: Type.Integer({ maximum: 9_499, default: 0 }),
  fuzzy: Type.Optional(Type.String({ description: '`true` also matches similar words.' })),
  sort: Several('`caption`, `first_seen`, `last_seen` or `last_change`, with `:asc` or `:desc`.'),
  facets: Several('`countries`, `topics`, `datasets` or `schema`. Default: the first three.'),
});
export type YenteSearchQuery = Static<typeof YenteSearchQuery>;

const page = {
  total: Total,
  limit: Type.Integer(),
  offset: Type.Integer(),
};

export const YenteSearchReply = Type.Object(
  {
    results: Type.Array(ref(YenteEntity)),
    facets: Type.Record(
      Type.String(),
      Type.Object({
        label: Type.String(),
        values: Type.Array(Type.Object({ name: Type.String(), label: Type.String(), count: Type.Integer() })),
      }),
    ),
    ...page,
  },
  { $id: 'YenteSearchReply' },
);
export type YenteSearchReply = Static<typeof YenteSearchReply>;

export const YenteAdjacentPage = Type.Object(
  { results: Type.Array(ref(YenteEntity)), ...page },
  {
    $id: 'YenteAdjacentPage',
    description: 'Always empty, because lists are stored without related entities.',
  },
);
export type YenteAdjacentPage = Static<typeof YenteAdjacentPage>;

export const YenteAdjacent = Type.Object(
  { entity: ref(YenteEntity), adjacent: Type.Record(Type.String(), ref(YenteAdjacentPage)) },
  { $id: 'YenteAdjacent' },
);
export type YenteAdjacent = Static<typeof YenteAdjacent>;

export const YenteDataset = Type.Object(
  {
    name: Type.String(),
    title: Type.String(),
    load: Type.Boolean({ description: 'Whether the dataset can be searched.' }),
    version: Type.String(),
    index_version: Type.Union([Type.String(), Type.Null()], {
      description: 'Starts with the time at which the list was read, `YYYYMMDDHHMMSS`.',
    }),
    index_current: Type.Boolean(),
    children: Type.Array(Type.String(), { description: 'Lists in a collection.' }),
    tags: Type.Array(Type.String()),
    entity_count: Type.Integer({ minimum: 0 }),
    entities_url: Type.Null(),
    delta_url: Type.Null(),
  },
  { $id: 'YenteDataset' },
);
export type YenteDataset = Static<typeof YenteDataset>;

export const YenteCatalog = Type.Object(
  {
    datasets: Type.Array(ref(YenteDataset)),
    current: Type.Array(Type.String(), { description: 'Datasets searchable in their newest version.' }),
    outdated: Type.Array(Type.String(), { description: 'Datasets with an outdated index.' }),
    index_stale: Type.Boolean({ description: 'Whether any dataset is outdated.' }),
  },
  { $id: 'YenteCatalog' },
);
export type YenteCatalog = Static<typeof YenteCatalog>;

const FeatureDocs = Type.Record(
  Type.String(),
  Type.Object({ description: Type.String(), coefficient: Type.Number(), url: Type.Null() }),
);

export const YenteAlgorithms = Type.Object(
  {
    algorithms: Type.Array(
      Type.Object({
        name: Type.String(),
        description: Type.String(),
        features: FeatureDocs,
        docs: Type.Object({ description: Type.String(), config: Type.Object({}), features: FeatureDocs }),
      }),
    ),
    default: Type.String(),
    best: Type.String(),
  },
  { $id: 'YenteAlgorithms' },
);
export type YenteAlgorithms = Static<typeof YenteAlgorithms>;

export const YenteStatus = Type.Object({ status: Type.Literal('ok') }, { $id: 'YenteStatus' });

export const YenteError = Type.Object(
  {
    detail: Type.Union([
      Type.String(),
      Type.Array(Type.Object({ type: Type.String(), loc: Type.Array(Type.String()), msg: Type.String() })),
    ]),
  },
  { $id: 'YenteError', description: 'A message, or with status 422 one entry per invalid field.' },
);
export type YenteError = Static<typeof YenteError>;
