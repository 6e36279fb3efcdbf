// Screening of single subjects and small batches: what is known of each, and what the lists say.
import { type Static, Type } from 'typebox';
import { oneOf } from './one-of.ts';
import { ref } from './ref.ts';
import { ListedMatch, MATCHES_PER_ROW_MAX, SCORE_THRESHOLD_DEFAULT } from './sanctions.ts';

export const SUBJECTS_PER_CALL_MAX = 100;
export const MATCHES_PER_SUBJECT_MAX = 50;
/** Longest name, address or identifier, in characters. */
export const SUBJECT_TEXT_MAX = 500;
const VALUES_MAX = 20;

/** What can be screened, in FollowTheMoney's words. */
export const SUBJECT_SCHEMAS = [
  'Person',
  'Organization',
  'Company',
  'LegalEntity',
  'PublicBody',
  'Vessel',
  'Airplane',
] as const;
export type SubjectSchema = (typeof SUBJECT_SCHEMAS)[number];

const Text = (description: string) => Type.String({ minLength: 1, maxLength: SUBJECT_TEXT_MAX, description });
const Texts = (description: string) => Type.Array(Text(''), { maxItems: VALUES_MAX, description });

export const SubjectIdentifier = Type.Object({
  kind: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      description:
        'What it is, such as `passportNumber`, `taxNumber`, `registrationNumber`, `imoNumber`, `leiCode`, `swiftBic`, `isin`, `callSign`, `hullNumber`, `publicKey`. Left out, it is compared with all kinds.',
    }),
  ),
  value: Text('As written; spaces, dashes and case do not matter.'),
});
export type SubjectIdentifier = Static<typeof SubjectIdentifier>;

export const ScreeningSubject = Type.Object(
  {
    id: Type.Optional(
      Type.String({ maxLength: 255, description: 'Yours; it comes back with the result, and nothing is made of it.' }),
    ),
    schema: Type.Optional(
      oneOf(SUBJECT_SCHEMAS, 'What it is; capitals do not matter. Left out, it may be a person or an organisation.'),
    ),
    name: Type.Optional(Text('The whole name, in any order and script.')),
    firstName: Type.Optional(Text('Of a person, in place of `name`.')),
    lastName: Type.Optional(Text('Of a person, in place of `name`.')),
    aliases: Type.Optional(Texts('Other names that it goes by; each is screened, the best one counts.')),
    birthDate: Type.Optional(
      Type.String({ maxLength: 10, description: '`YYYY-MM-DD`, `YYYY-MM` or `YYYY`; of a person.' }),
    ),
    countries: Type.Optional(Texts('Codes of two or three letters, or English names: residence, registration, flag.')),
    nationalities: Type.Optional(Texts('Codes of two or three letters, or English names.')),
    identifiers: Type.Optional(Type.Array(SubjectIdentifier, { maxItems: VALUES_MAX })),
    addresses: Type.Optional(Texts('In one line each.')),
  },
  {
    $id: 'ScreeningSubject',
    description:
      'Whom or what to screen: a name, or an identifier, or both. An equal identifier that belongs to one holder is a hit by itself; another country or date of birth lowers the score; an address or country that agrees supports a name.',
  },
);
export type ScreeningSubject = Static<typeof ScreeningSubject>;

export const MatchRequest = Type.Object(
  {
    dataset: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, default: 'default', description: 'A list or a collection.' }),
    ),
    scoreThreshold: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        default: SCORE_THRESHOLD_DEFAULT,
        description: 'Score from which an entity is a match. 0.85 to 0.95 is worth a review. Candidates start at 0.5.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MATCHES_PER_SUBJECT_MAX,
        default: MATCHES_PER_ROW_MAX,
        description: 'Most matches per subject.',
      }),
    ),
    subjects: Type.Array(ref(ScreeningSubject), { minItems: 1, maxItems: SUBJECTS_PER_CALL_MAX }),
  },
  { $id: 'MatchRequest' },
);
export type MatchRequest = Static<typeof MatchRequest>;

const Compared = (of: string) =>
  Type.Object(
    {
      detail: Type.String({ description: 'How they compare, in words.' }),
      query: Type.String({ description: 'What you sent.' }),
      candidate: Type.String({ description: 'What is listed.' }),
    },
    { description: of },
  );

const { explanation: _, ...listedFields } = ListedMatch.properties;

export const SubjectMatch = Type.Object(
  {
    ...listedFields,
    nationalities: Type.Array(Type.String()),
    addresses: Type.Array(Type.String(), { description: 'At most 20.' }),
    positions: Type.Array(Type.String(), { description: 'At most 20.' }),
    identifiers: Type.Array(Type.Object({ kind: Type.String(), value: Type.String() }), {
      description: 'At most 50.',
    }),
    referents: Type.Array(Type.String(), { description: 'Other ids of the same entity; at most 50.' }),
    firstSeen: Type.Union([Type.String(), Type.Null()]),
    lastSeen: Type.Union([Type.String(), Type.Null()]),
    nameScore: Type.Number({ minimum: 0, maximum: 1, description: 'Of the name and the date of birth alone.' }),
    explanation: Type.Object({
      name: Compared('The names.'),
      birthDate: Type.Optional(Compared('The dates of birth, where one was sent.')),
      identifier: Type.Optional(Compared('The identifier that agrees, or speaks against it.')),
      country: Type.Optional(Compared('The countries, where both sides have one.')),
      address: Type.Optional(Compared('The address that agrees.')),
    }),
  },
  { $id: 'SubjectMatch', description: 'A listed entity that the subject may be.' },
);
export type SubjectMatch = Static<typeof SubjectMatch>;

const {
  matchedName: _name,
  score: _score,
  nameScore: _nameScore,
  explanation: _explanation,
  ...entryFields
} = SubjectMatch.properties;

export const ListedEntry = Type.Object(entryFields, {
  $id: 'ListedEntry',
  description: 'What one list says about an entity.',
});
export type ListedEntry = Static<typeof ListedEntry>;

export const SubjectResult = Type.Object(
  {
    id: Type.Optional(Type.String({ description: 'As sent.' })),
    match: Type.Boolean({ description: 'Whether there is a match at or above the threshold.' }),
    score: Type.Number({ minimum: 0, maximum: 1, description: 'The best score if it is 0.5 or more, otherwise 0.' }),
    matches: Type.Array(ref(SubjectMatch), { description: 'Best first, each at or above the threshold.' }),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: 'What could not be compared, and why; fields that are not known among it.',
      }),
    ),
  },
  { $id: 'SubjectResult' },
);
export type SubjectResult = Static<typeof SubjectResult>;

export const MatchReply = Type.Object(
  {
    dataset: Type.String(),
    datasetVersion: Type.String({
      description: 'Version of the list; for a collection, `name@version` of each list, by name.',
    }),
    scoreThreshold: Type.Number({ minimum: 0, maximum: 1 }),
    warning: Type.Optional(
      Type.String({ description: 'Why a subject without a match may not be cleared, such as a missing list.' }),
    ),
    warnings: Type.Optional(
      Type.Array(Type.String(), { description: 'What beside the subjects was not read: fields that are not known.' }),
    ),
    results: Type.Array(ref(SubjectResult), { description: 'One per subject, in their order.' }),
  },
  { $id: 'MatchReply' },
);
export type MatchReply = Static<typeof MatchReply>;
