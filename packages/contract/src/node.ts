// Biometric node: requests, replies, limits and status numbers.
import { type Static, Type } from 'typebox';
import { ref } from './ref.ts';

/** Numbers per embedding. */
export const EMBEDDING_MIN_LENGTH = 128;
export const EMBEDDING_MAX_LENGTH = 512;
/** Maximum number of embeddings in one encrypted request. */
export const FEATURES_MAX = 64;
/** Maximum number of people in one predict reply. */
export const PREDICT_MAX_K = 100;
/** Maximum length of `metadata.id` and `user_identifier`. */
export const USER_IDENTIFIER_MAX_LENGTH = 256;
/** Model versions assumed if a request names none. */
export const DEFAULT_VERSION = 'FACE3_1';
export const DEFAULT_PLAIN_VERSION = 'FACE3_3';

/** Values of `status` that differ from the HTTP status. */
export const NODE_STATUS = {
  success: 0,
  refused: -1,
  unusable: -2,
  enrollmentFailed: 152,
  authenticationFailed: 153,
} as const;

/** Minimum length and two decimals, so that the example stays readable. */
const EXAMPLE_VECTOR = Array.from({ length: EMBEDDING_MIN_LENGTH }, (_, i) => Math.round(Math.sin(i * i) * 100) / 100);

export const Feature = Type.Object(
  {
    type: Type.Optional(Type.String({ description: 'Any text. Ignored.' })),
    embedding_vector: Type.Array(Type.Number(), {
      minItems: EMBEDDING_MIN_LENGTH,
      maxItems: EMBEDDING_MAX_LENGTH,
      description: `${EMBEDDING_MIN_LENGTH} to ${EMBEDDING_MAX_LENGTH} numbers.`,
      examples: [EXAMPLE_VECTOR],
    }),
  },
  { $id: 'Feature', description: 'A face as a feature vector.' },
);
export type Feature = Static<typeof Feature>;

const ApiKeyField = Type.Optional(Type.String({ description: 'API key, if not sent in the `x-api-key` header.' }));
const Version = Type.Optional(
  Type.String({
    default: DEFAULT_PLAIN_VERSION,
    description: `Face model version, \`[A-Z0-9_]{1,32}\`. Default: \`${DEFAULT_PLAIN_VERSION}\`.`,
  }),
);
const Metadata = Type.Optional(
  Type.Object({
    id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: USER_IDENTIFIER_MAX_LENGTH,
        description: 'Your own id for the person. Stored only as a keyed digest. Search for it with `user_identifier`.',
      }),
    ),
  }),
);
const K = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: PREDICT_MAX_K,
    description: 'Maximum number of people to return. Default: 1.',
  }),
);
const UserIdentifier = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: USER_IDENTIFIER_MAX_LENGTH,
    description: 'Limits the search to people enrolled with this `metadata.id`.',
  }),
);

/**
 * Required fields that the service checks itself, after everything in the schema. "Not provided"
 * and "not usable" have status numbers of their own here.
 */
export const NODE_FIELDS_CHECKED_LAST = ['features', 'puid'] as const;

const EncryptedFeatures = Type.String({ description: 'JSON array of `Feature` objects, encrypted.' });
const PlainFeatures = ref(Feature);
const PersonToDelete = Type.String({
  description: '`puid` from an earlier reply, encrypted or plain, exactly as returned.',
});

export const CheckApiKeyRequest = Type.Object({ api_key: ApiKeyField });
export const EnrollRequest = Type.Object({ api_key: ApiKeyField, features: EncryptedFeatures, metadata: Metadata });
export const PlainEnrollRequest = Type.Object({
  api_key: ApiKeyField,
  version: Version,
  features: PlainFeatures,
  metadata: Metadata,
});
export const PredictRequest = Type.Object({
  api_key: ApiKeyField,
  features: EncryptedFeatures,
  K,
  user_identifier: UserIdentifier,
});
export const PlainPredictRequest = Type.Object({
  api_key: ApiKeyField,
  version: Version,
  features: PlainFeatures,
  K,
  user_identifier: UserIdentifier,
});
export const DeleteUserRequest = Type.Object({
  api_key: ApiKeyField,
  puid: PersonToDelete,
});

const StatusZero = Type.Integer({ description: '0 on success.' });
const StatusCode = Type.Integer({ description: 'HTTP status code.' });
const Message = Type.String();
const Puid = Type.String({ description: 'Id of the person.' });
const Guid = Type.String({ description: 'Group to which the gallery’s people belong.' });
const EnrollLevel = Type.Integer({ description: 'Number of embeddings stored for the person.' });
const Score = Type.Number({ description: 'Similarity, from -1 to 1.' });

/** Status reply of the biometric node: the key check, deletions and all refusals. */
export const NodeStatusReply = Type.Object(
  {
    status: Type.Integer({ description: 'Outcome as a number.' }),
    message: Type.String({ description: 'Outcome as text.' }),
  },
  {
    $id: 'NodeStatusReply',
    description: 'Reply to the key check, to deletions and to every refused request of the biometric node.',
  },
);
export type NodeStatusReply = Static<typeof NodeStatusReply>;

export const EnrollReply = Type.Object(
  { status: StatusZero, message: Message, enroll_level: EnrollLevel, puid: Puid, guid: Guid, score: Score },
  {
    $id: 'EnrollReply',
    description: 'The person is enrolled, by this request or an earlier one. `puid` and `guid` are encrypted.',
  },
);
export type EnrollReply = Static<typeof EnrollReply>;

export const PlainEnrollReply = Type.Object(
  {
    status: StatusZero,
    statusCode: StatusCode,
    message: Message,
    puid: Puid,
    guid: Guid,
    enroll_level: EnrollLevel,
  },
  { $id: 'PlainEnrollReply', description: 'The person is enrolled, by this request or an earlier one.' },
);
export type PlainEnrollReply = Static<typeof PlainEnrollReply>;

const ListedPerson = Type.Object({ puid: Puid, guid: Guid, score: Score });

export const PredictReply = Type.Object(
  { status: StatusZero, message: Message, puid: Puid, guid: Guid, enroll_level: EnrollLevel, score: Score },
  { $id: 'PredictReply', description: 'A person was recognized, with K = 1. `puid` and `guid` are encrypted.' },
);
export type PredictReply = Static<typeof PredictReply>;

export const PredictListReply = Type.Object(
  { status: StatusZero, message: Message, PI_list: Type.Array(ListedPerson, { description: 'Best first.' }) },
  { $id: 'PredictListReply', description: 'People were recognized, with K above 1.' },
);
export type PredictListReply = Static<typeof PredictListReply>;

export const NotRecognizedReply = Type.Object(
  {
    status: Type.Literal(-1),
    message: Type.Literal('User not enrolled'),
    puid: Type.Literal('-1'),
    guid: Type.Literal('-1'),
    score: Type.Literal('-1'),
  },
  { $id: 'NotRecognizedReply', description: 'No one in the gallery is similar enough.' },
);
export type NotRecognizedReply = Static<typeof NotRecognizedReply>;

export const PlainPredictReply = Type.Object(
  {
    status: StatusZero,
    statusCode: StatusCode,
    message: Message,
    puid: Puid,
    guid: Guid,
    score: Score,
    enroll_level: EnrollLevel,
  },
  { $id: 'PlainPredictReply', description: 'A person was recognized, with K = 1.' },
);
export type PlainPredictReply = Static<typeof PlainPredictReply>;

export const PlainPredictListReply = Type.Object(
  {
    status: StatusZero,
    statusCode: StatusCode,
    message: Message,
    PI_list: Type.Array(ListedPerson, { description: 'Best first.' }),
  },
  { $id: 'PlainPredictListReply', description: 'People were recognized, with K above 1.' },
);
export type PlainPredictListReply = Static<typeof PlainPredictListReply>;

export const PlainNotRecognizedReply = Type.Object(
  {
    status: Type.Literal(-1),
    statusCode: Type.Literal(200),
    message: Type.Literal('User not enrolled'),
    puid: Type.Literal('-1'),
    guid: Type.Literal('-1'),
    score: Type.Literal(-1),
  },
  { $id: 'PlainNotRecognizedReply', description: 'No one in the gallery is similar enough.' },
);
export type PlainNotRecognizedReply = Static<typeof PlainNotRecognizedReply>;

const unusableFields = {
  statusCode: Type.Optional(Type.Integer({ description: '200. Only on the plain endpoints.' })),
  message: Type.String(),
};

/** Reply for a face that cannot be used. Sent with HTTP 200. */
export const EnrollUnusableReply = Type.Object(
  { status: Type.Literal(152), ...unusableFields },
  { $id: 'EnrollUnusableReply', description: 'No usable embedding remained after invalid ones were removed.' },
);
export type EnrollUnusableReply = Static<typeof EnrollUnusableReply>;

export const PredictUnusableReply = Type.Object(
  { status: Type.Literal(153), ...unusableFields },
  { $id: 'PredictUnusableReply', description: 'No usable embedding remained after invalid ones were removed.' },
);
export type PredictUnusableReply = Static<typeof PredictUnusableReply>;
