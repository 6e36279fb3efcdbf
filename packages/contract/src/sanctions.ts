// Screening of CSV files: the reply, the datasets and the limits.
import { type Static, Type } from 'typebox';
import { SCREENING_OPTIONAL_COLUMNS } from './csv.ts';
import { ref } from './ref.ts';

export const SCORE_THRESHOLD_DEFAULT = 0.95;
/** Maximum number of listed entities per row. */
export const MATCHES_PER_ROW_MAX = 5;
/** Columns that the header row must contain, in any order and case. */
export const SCREENING_COLUMNS = ['id', 'firstname', 'lastname', 'dob'] as const;

const OPTIONAL_COLUMNS = new Intl.ListFormat('en-GB').format(SCREENING_OPTIONAL_COLUMNS.map((name) => `\`${name}\``));

export const ScreeningQuery = Type.Object({
  scoreThreshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: SCORE_THRESHOLD_DEFAULT,
      description:
        'Minimum score of a match. Scores from 0.85 to 0.95 are worth a review. Candidates start at 0.5; lower values have the same effect as 0.5.',
    }),
  ),
  columns: Type.Optional(
    Type.Literal('extended', {
      description: `\`extended\` also reads the columns ${OPTIONAL_COLUMNS}. By default they are ignored, because exports may use these names for other content.`,
    }),
  ),
});
export type ScreeningQuery = Static<typeof ScreeningQuery>;

const Score = Type.Number({ minimum: 0, maximum: 1 });

export const ListedMatch = Type.Object(
  {
    id: Type.String({ description: 'Id of the entity in its list.' }),
    caption: Type.String({ description: 'Name under which the list shows the entity.' }),
    schema: Type.String({ description: 'Entity type, such as `Person`.' }),
    matchedName: Type.String({ description: 'Closest listed name or alias.' }),
    score: Score,
    birthDate: Type.Array(Type.String(), { description: 'Listed dates of birth, full or partial.' }),
    countries: Type.Array(Type.String()),
    datasets: Type.Array(Type.String(), { description: 'Lists that contain the entity.' }),
    topics: Type.Array(Type.String(), { description: 'Topics, such as `sanction` or `role.pep`.' }),
    programs: Type.Array(Type.String()),
    aliases: Type.Array(Type.String(), { description: 'Other listed names, up to 20.' }),
    lastChange: Type.Union([Type.String(), Type.Null()], { description: 'When the list last changed the entry.' }),
    explanation: Type.Object(
      { name: Type.String(), birthDate: Type.String() },
      {
        description:
          'How names and dates of birth compare, in words. The name text also covers identifier, country and address if the file contains them and they count.',
      },
    ),
  },
  { $id: 'ListedMatch', description: 'A listed entity that may match the row.' },
);
export type ListedMatch = Static<typeof ListedMatch>;

const screenedFields = {
  id: Type.String({ description: 'Value from the file.' }),
  firstname: Type.String({ description: 'Value from the file.' }),
  lastname: Type.String({ description: 'Value from the file.' }),
  dob: Type.String({ description: 'Value from the file.' }),
  name: Type.Optional(
    Type.String({ description: 'Value from the file, if it has this column and the cell is not empty.' }),
  ),
  match: Type.Union([Type.Literal('true'), Type.Literal('false')], {
    description: 'Whether the score reaches the threshold, as a string.',
  }),
  score: Type.Number({ minimum: 0, maximum: 1, description: 'Highest score if it is at least 0.5, otherwise 0.' }),
};
const Warning = Type.Optional(
  Type.String({ description: 'Problem with the row, such as too few columns or an invalid date of birth.' }),
);

export const ScreenedRow = Type.Object({ ...screenedFields, warning: Warning }, { $id: 'ScreenedRow' });
export type ScreenedRow = Static<typeof ScreenedRow>;

export const MatchedRow = Type.Object(
  {
    ...screenedFields,
    matches: Type.Array(ref(ListedMatch), {
      description: `Matches at or above the threshold, best first, up to ${MATCHES_PER_ROW_MAX}.`,
    }),
    warning: Warning,
  },
  { $id: 'MatchedRow' },
);
export type MatchedRow = Static<typeof MatchedRow>;

export const ScreeningReply = Type.Object(
  {
    summary: Type.Object({
      total: Type.Integer({ minimum: 0, description: 'Number of rows in the file.' }),
      matched: Type.Object({
        count: Type.Integer({ minimum: 0 }),
        records: Type.Array(ref(MatchedRow), { description: 'Matched rows, in file order.' }),
      }),
      dataset: Type.String({ description: 'Dataset as requested.' }),
      datasetVersion: Type.String({
        description: 'Version of the list. For a collection, `name@version` of each list, sorted by name.',
      }),
      scoreThreshold: Score,
      warning: Type.Optional(Type.String({ description: 'First entry of `warnings`.' })),
      warnings: Type.Optional(
        Type.Array(Type.String(), {
          description: 'Reasons not to clear rows without a match, such as a missing list or ignored columns.',
        }),
      ),
    }),
    results: Type.Array(ref(ScreenedRow), { description: 'One entry per row, in file order.' }),
  },
  { $id: 'ScreeningReply' },
);
export type ScreeningReply = Static<typeof ScreeningReply>;

export const Dataset = Type.Object(
  {
    name: Type.String(),
    kind: Type.Union([Type.Literal('list'), Type.Literal('collection'), Type.Literal('demo')], {
      description:
        '`demo` is fictional and ships with the service. A collection covers the lists that are currently loaded.',
    }),
    status: Type.Union([Type.Literal('ready'), Type.Literal('loading'), Type.Literal('failed')]),
    version: Type.Optional(Type.String()),
    entityCount: Type.Optional(Type.Integer({ minimum: 0 })),
    people: Type.Optional(Type.Integer({ minimum: 0, description: 'Number of entities that are people.' })),
    sanctions: Type.Optional(Type.Integer({ minimum: 0, description: 'Number of entities under sanctions.' })),
    peps: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Number of entities that are politically exposed people.' }),
    ),
    builtAt: Type.Optional(Type.String({ format: 'date-time', description: 'When the list was parsed.' })),
    loadedAt: Type.Optional(Type.String({ format: 'date-time', description: 'When this process loaded the list.' })),
    loadMs: Type.Optional(Type.Integer({ minimum: 0, description: 'Load time in milliseconds.' })),
    memoryBytes: Type.Optional(Type.Integer({ minimum: 0 })),
    members: Type.Optional(Type.Array(Type.String(), { description: 'Lists in a collection.' })),
    problem: Type.Optional(Type.String({ description: 'Description of the problem and how to fix it.' })),
  },
  { $id: 'Dataset' },
);
export type Dataset = Static<typeof Dataset>;

export const DatasetList = Type.Object({ datasets: Type.Array(ref(Dataset)) }, { $id: 'DatasetList' });
export type DatasetList = Static<typeof DatasetList>;
