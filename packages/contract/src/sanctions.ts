// The sanctions check: the reply to a screened file, the datasets, and the limits.
import { type Static, Type } from 'typebox';
import { SCREENING_OPTIONAL_COLUMNS } from './csv.ts';
import { ref } from './ref.ts';

export const SCORE_THRESHOLD_DEFAULT = 0.95;
/** Most listed entities that are shown for one row. */
export const MATCHES_PER_ROW_MAX = 5;
/** Columns that the header row must name, in any order and case. */
export const SCREENING_COLUMNS = ['id', 'firstname', 'lastname', 'dob'] as const;

const OPTIONAL_COLUMNS = new Intl.ListFormat('en-GB').format(SCREENING_OPTIONAL_COLUMNS.map((name) => `\`${name}\``));

export const ScreeningQuery = Type.Object({
  scoreThreshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: SCORE_THRESHOLD_DEFAULT,
      description:
        'Score from which a row counts as matched. 0.85 to 0.95 is worth a review. Candidates start at 0.5, so a lower value works like 0.5.',
    }),
  ),
  columns: Type.Optional(
    Type.Literal('extended', {
      description: `Also reads the columns ${OPTIONAL_COLUMNS}. Without it they are ignored, because an export may use these names for something else.`,
    }),
  ),
});
export type ScreeningQuery = Static<typeof ScreeningQuery>;

const Score = Type.Number({ minimum: 0, maximum: 1 });

export const ListedMatch = Type.Object(
  {
    id: Type.String({ description: 'The entity’s id in its list.' }),
    caption: Type.String({ description: 'The name under which the list shows it.' }),
    schema: Type.String({ description: 'What it is, such as `Person`.' }),
    matchedName: Type.String({ description: 'The listed name or alias that was closest.' }),
    score: Score,
    birthDate: Type.Array(Type.String(), { description: 'Listed dates of birth, full or partial.' }),
    countries: Type.Array(Type.String()),
    datasets: Type.Array(Type.String(), { description: 'The lists it comes from.' }),
    topics: Type.Array(Type.String(), { description: 'Such as `sanction` or `role.pep`.' }),
    programs: Type.Array(Type.String()),
    aliases: Type.Array(Type.String(), { description: 'Other listed names, at most 20.' }),
    lastChange: Type.Union([Type.String(), Type.Null()], { description: 'When the list last changed the entry.' }),
    explanation: Type.Object(
      { name: Type.String(), birthDate: Type.String() },
      {
        description:
          'How names and dates compare, in words; behind the names, identifier, country and address where the file has them and they count.',
      },
    ),
  },
  { $id: 'ListedMatch', description: 'A listed entity that the row may refer to.' },
);
export type ListedMatch = Static<typeof ListedMatch>;

const screenedFields = {
  id: Type.String({ description: 'As in the file.' }),
  firstname: Type.String({ description: 'As in the file.' }),
  lastname: Type.String({ description: 'As in the file.' }),
  dob: Type.String({ description: 'As in the file.' }),
  name: Type.Optional(Type.String({ description: 'As in the file, where it has that column and something in it.' })),
  match: Type.Union([Type.Literal('true'), Type.Literal('false')], {
    description: 'Whether the score reaches the threshold, as a string.',
  }),
  score: Type.Number({ minimum: 0, maximum: 1, description: 'The best score if it is 0.5 or more, otherwise 0.' }),
};
const Warning = Type.Optional(
  Type.String({ description: 'What to know about the row, such as too few columns or an invalid date of birth.' }),
);

export const ScreenedRow = Type.Object({ ...screenedFields, warning: Warning }, { $id: 'ScreenedRow' });
export type ScreenedRow = Static<typeof ScreenedRow>;

export const MatchedRow = Type.Object(
  {
    ...screenedFields,
    matches: Type.Array(ref(ListedMatch), {
      description: `Best first, at most ${MATCHES_PER_ROW_MAX}, each at or above the threshold.`,
    }),
    warning: Warning,
  },
  { $id: 'MatchedRow' },
);
export type MatchedRow = Static<typeof MatchedRow>;

export const ScreeningReply = Type.Object(
  {
    summary: Type.Object({
      total: Type.Integer({ minimum: 0, description: 'Rows in the file.' }),
      matched: Type.Object({
        count: Type.Integer({ minimum: 0 }),
        records: Type.Array(ref(MatchedRow), { description: 'The matched rows, in the order of the file.' }),
      }),
      dataset: Type.String({ description: 'As asked for.' }),
      datasetVersion: Type.String({
        description: 'Version of the list; for a collection, `name@version` of each list, by name.',
      }),
      scoreThreshold: Score,
      warning: Type.Optional(Type.String({ description: 'The first of `warnings`.' })),
      warnings: Type.Optional(
        Type.Array(Type.String(), {
          description:
            'Why a row without a match may not be cleared, such as a missing list or columns that were ignored.',
        }),
      ),
    }),
    results: Type.Array(ref(ScreenedRow), { description: 'One entry per row, in the order of the file.' }),
  },
  { $id: 'ScreeningReply' },
);
export type ScreeningReply = Static<typeof ScreeningReply>;

export const Dataset = Type.Object(
  {
    name: Type.String(),
    kind: Type.Union([Type.Literal('list'), Type.Literal('collection'), Type.Literal('demo')], {
      description: '`demo` is fictional and ships with the service; a collection covers whatever lists are loaded.',
    }),
    status: Type.Union([Type.Literal('ready'), Type.Literal('loading'), Type.Literal('failed')]),
    version: Type.Optional(Type.String()),
    entityCount: Type.Optional(Type.Integer({ minimum: 0 })),
    people: Type.Optional(Type.Integer({ minimum: 0, description: 'How many of them are people.' })),
    sanctions: Type.Optional(Type.Integer({ minimum: 0, description: 'How many of them are under sanctions.' })),
    peps: Type.Optional(Type.Integer({ minimum: 0, description: 'How many of them are politically exposed people.' })),
    builtAt: Type.Optional(Type.String({ format: 'date-time', description: 'When the list was read in.' })),
    loadedAt: Type.Optional(Type.String({ format: 'date-time', description: 'When this process loaded it.' })),
    loadMs: Type.Optional(Type.Integer({ minimum: 0, description: 'How long that took.' })),
    memoryBytes: Type.Optional(Type.Integer({ minimum: 0 })),
    members: Type.Optional(Type.Array(Type.String(), { description: 'The lists behind a collection.' })),
    problem: Type.Optional(Type.String({ description: 'What is wrong and how to fix it.' })),
  },
  { $id: 'Dataset' },
);
export type Dataset = Static<typeof Dataset>;

export const DatasetList = Type.Object({ datasets: Type.Array(ref(Dataset)) }, { $id: 'DatasetList' });
export type DatasetList = Static<typeof DatasetList>;
