// Screening of single subjects and small batches: the subjects and their matches.
import { type Static, Type } from 'typebox';
import { oneOf } from './one-of.ts';
import { ref } from './ref.ts';
import { ListedMatch, MATCHES_PER_ROW_MAX, SCORE_THRESHOLD_DEFAULT } from './sanctions.ts';

export const SUBJECTS_PER_CALL_MAX = 100;
export const MATCHES_PER_SUBJECT_MAX = 50;
/** Maximum length of a name, address or identifier, in characters. */
export const SUBJECT_TEXT_MAX = 500;
const VALUES_MAX = 20;

/** Entity types that can be screened, named as in FollowTheMoney. */
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
        'Kind of identifier, such as `passportNumber`, `taxNumber`, `registrationNumber`, `imoNumber`, `leiCode`, `swiftBic`, `isin`, `callSign`, `hullNumber`, `publicKey`. If omitted, the value is compared with identifiers of all kinds.',
    }),
  ),
  value: Text('Value as written. Spaces, dashes and case do not matter.'),
});
export type SubjectIdentifier = Static<typeof SubjectIdentifier>;

export const ScreeningSubject = Type.Object(
  {
    id: Type.Optional(
      Type.String({ maxLength: 255, description: 'Your own id. Returned with the result and not interpreted.' }),
    ),
    schema: Type.Optional(
      oneOf(SUBJECT_SCHEMAS, 'Entity type, in any case. If omitted, the subject may be a person or an organization.'),
    ),
    name: Type.Optional(Text('Full name, in any order and script.')),
    firstName: Type.Optional(Text('First name of a person. Use with `lastName` instead of `name`.')),
    lastName: Type.Optional(Text('Last name of a person. Use with `firstName` instead of `name`.')),
    aliases: Type.Optional(Texts('Other names of the subject. Each one is screened, and the best score counts.')),
    birthDate: Type.Optional(
      Type.String({ maxLength: 10, description: 'Date of birth of a person: `YYYY-MM-DD`, `YYYY-MM` or `YYYY`.' }),
    ),
    countries: Type.Optional(
      Texts('Countries of residence, registration or flag, as codes of two or three letters or English names.'),
    ),
    nationalities: Type.Optional(Texts('Nationalities, as codes of two or three letters or English names.')),
    identifiers: Type.Optional(Type.Array(SubjectIdentifier, { maxItems: VALUES_MAX })),
    addresses: Type.Optional(Texts('Addresses, one line each.')),
  },
  {
    $id: 'ScreeningSubject',
    description:
      'Person, organization or vehicle to screen, by name, by identifier, or both. An equal identifier that belongs to only one holder is a match by itself. A different country or date of birth lowers the score. An equal address or country supports a name match.',
  },
);
export type ScreeningSubject = Static<typeof ScreeningSubject>;

export const MatchRequest = Type.Object(
  {
    dataset: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, default: 'default', description: 'Name of a list or a collection.' }),
    ),
    scoreThreshold: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        default: SCORE_THRESHOLD_DEFAULT,
        description: 'Minimum score of a match. Scores from 0.85 to 0.95 are worth a review. Candidates start at 0.5.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MATCHES_PER_SUBJECT_MAX,
        default: MATCHES_PER_ROW_MAX,
        description: 'Maximum number of matches per subject.',
      }),
    ),
    subjects: Type.Array(ref(ScreeningSubject), { minItems: 1, maxItems: SUBJECTS_PER_CALL_MAX }),
  },
  {
    $id: 'MatchRequest',
    examples: [{ subjects: [{ schema: 'Person', name: 'Maria Beispiel', birthDate: '1970-01-01' }] }],
  },
);
export type MatchRequest = Static<typeof MatchRequest>;

const Compared = (of: string) =>
  Type.Object(
    {
      detail: Type.String({ description: 'How the values compare, in words.' }),
      query: Type.String({ description: 'Value that you sent.' }),
      candidate: Type.String({ description: 'Listed value.' }),
    },
    { description: of },
  );

const { explanation: _, ...listedFields } = ListedMatch.properties;

export const SubjectMatch = Type.Object(
  {
    ...listedFields,
    nationalities: Type.Array(Type.String()),
    addresses: Type.Array(Type.String(), { description: 'Up to 20.' }),
    positions: Type.Array(Type.String(), { description: 'Up to 20.' }),
    identifiers: Type.Array(Type.Object({ kind: Type.String(), value: Type.String() }), {
      description: 'Up to 50.',
    }),
    referents: Type.Array(Type.String(), { description: 'Other ids of the same entity, up to 50.' }),
    firstSeen: Type.Union([Type.String(), Type.Null()]),
    lastSeen: Type.Union([Type.String(), Type.Null()]),
    nameScore: Type.Number({ minimum: 0, maximum: 1, description: 'Score of the name and the date of birth alone.' }),
    explanation: Type.Object({
      name: Compared('The names.'),
      birthDate: Type.Optional(Compared('The dates of birth. Present only if you sent one.')),
      identifier: Type.Optional(Compared('The identifier that supports or contradicts the match.')),
      country: Type.Optional(Compared('The countries. Present only if both sides have one.')),
      address: Type.Optional(Compared('The address that supports the match.')),
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
  description: 'A list’s entry for an entity.',
});
export type ListedEntry = Static<typeof ListedEntry>;

export const SubjectResult = Type.Object(
  {
    id: Type.Optional(Type.String({ description: 'Id as sent.' })),
    match: Type.Boolean({ description: 'Whether any match reaches the threshold.' }),
    score: Type.Number({ minimum: 0, maximum: 1, description: 'Highest score if it is at least 0.5, otherwise 0.' }),
    matches: Type.Array(ref(SubjectMatch), { description: 'Matches at or above the threshold, best first.' }),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Values that could not be compared, with the reason. Includes unknown fields.',
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
      description: 'Version of the list. For a collection, `name@version` of each list, sorted by name.',
    }),
    scoreThreshold: Type.Number({ minimum: 0, maximum: 1 }),
    warning: Type.Optional(
      Type.String({ description: 'Reason not to clear subjects without a match, such as a missing list.' }),
    ),
    warnings: Type.Optional(
      Type.Array(Type.String(), { description: 'Unknown fields outside the subjects. They were ignored.' }),
    ),
    results: Type.Array(ref(SubjectResult), { description: 'One result per subject, in the order of the request.' }),
  },
  { $id: 'MatchReply' },
);
export type MatchReply = Static<typeof MatchReply>;
