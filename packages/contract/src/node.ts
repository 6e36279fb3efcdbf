// The biometric node: its requests, replies, limits and numbers.
import { type Static, Type } from 'typebox';
import { ref } from './ref.ts';

/** Numbers in one embedding. */
export const EMBEDDING_MIN_LENGTH = 128;
export const EMBEDDING_MAX_LENGTH = 512;
/** Embeddings in one encrypted request. */
export const FEATURES_MAX = 64;
/** People that one predict can ask for. */
export const PREDICT_MAX_K = 100;
/** Length of `metadata.id` and `user_identifier`. */
export const USER_IDENTIFIER_MAX_LENGTH = 256;
/** Model versions meant when a request names none. */
export const DEFAULT_VERSION = 'FACE3_1';
export const DEFAULT_PLAIN_VERSION = 'FACE3_3';

/** The numbers in `status` that do not simply repeat the HTTP status. */
export const NODE_STATUS = {
  success: 0,
  refused: -1,
  unusable: -2,
  enrollmentFailed: 152,
  authenticationFailed: 153,
} as const;

/** The shortest there may be, to the second decimal place: as good as any, and short enough to read. */
const EXAMPLE_VECTOR = Array.from({ length: EMBEDDING_MIN_LENGTH }, (_, i) => Math.round(Math.sin(i * i) * 100) / 100);

export const Feature = Type.Object(
  {
    type: Type.Optional(Type.String({ description: 'Any text; ignored.' })),
    embedding_vector: Type.Array(Type.Number(), {
      minItems: EMBEDDING_MIN_LENGTH,
      maxItems: EMBEDDING_MAX_LENGTH,
      description: `${EMBEDDING_MIN_LENGTH} to ${EMBEDDING_MAX_LENGTH} numbers.`,
      examples: [EXAMPLE_VECTOR],
    }),
  },
  { $id: 'Feature', description: 'One face as a feature vector.' },
);
export type Feature = Static<typeof Feature>;

const ApiKeyField = Type.Optional(Type.String({ description: 'The API key, if it is not sent in `x-api-key`.' }));
const Version = Type.Optional(
  Type.String({
    default: DEFAULT_PLAIN_VERSION,
    description: `Face model version, \`[A-Z0-9_]{1,32}\`. Default \`${DEFAULT_PLAIN_VERSION}\`.`,
  }),
);
const Metadata = Type.Optional(
  Type.Object({
    id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: USER_IDENTIFIER_MAX_LENGTH,
        description: 'Your own name for the person; stored only as a keyed digest. `user_identifier` finds it again.',
      }),
    ),
  }),
);
const K = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: PREDICT_MAX_K,
    description: 'At most this many people are returned. Default 1.',
  }),
);
const UserIdentifier = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: USER_IDENTIFIER_MAX_LENGTH,
    description: 'Searches only among people enrolled with this `metadata.id`.',
  }),
);

/**
 * Required, and checked by the service itself and not by the schema: "not provided" and "not usable" have numbers of
 * their own here, and come after every other check.
 */
export const NODE_FIELDS_CHECKED_LAST = ['features', 'puid'] as const;

const EncryptedFeatures = Type.String({ description: 'An array of `Feature` objects as JSON, encrypted.' });
const PlainFeatures = ref(Feature);
const PersonToDelete = Type.String({
  description: 'The `puid` from an earlier reply, encrypted or plain, as that reply gave it.',
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
const StatusCode = Type.Integer({ description: 'The HTTP status.' });
const Message = Type.String();
const Puid = Type.String({ description: 'The person.' });
const Guid = Type.String({ description: 'The group that the gallery’s people belong to.' });
const EnrollLevel = Type.Integer({ description: 'How many embeddings the person has.' });
const Score = Type.Number({ description: 'Similarity, -1 to 1.' });

/** `{ status, message }`: the key check, deletions and every refusal of the biometric node. */
export const NodeStatusReply = Type.Object(
  {
    status: Type.Integer({ description: 'What happened, as a number.' }),
    message: Type.String({ description: 'What happened, in words.' }),
  },
  { $id: 'NodeStatusReply', description: 'Key check, deletion and every refusal of the biometric node.' },
);
export type NodeStatusReply = Static<typeof NodeStatusReply>;

export const EnrollReply = Type.Object(
  { status: StatusZero, message: Message, enroll_level: EnrollLevel, puid: Puid, guid: Guid, score: Score },
  { $id: 'EnrollReply', description: 'Enrolled, now or earlier; `puid` and `guid` are encrypted.' },
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
  { $id: 'PlainEnrollReply', description: 'Enrolled, now or earlier.' },
);
export type PlainEnrollReply = Static<typeof PlainEnrollReply>;

const ListedPerson = Type.Object({ puid: Puid, guid: Guid, score: Score });

export const PredictReply = Type.Object(
  { status: StatusZero, message: Message, puid: Puid, guid: Guid, enroll_level: EnrollLevel, score: Score },
  { $id: 'PredictReply', description: 'K = 1 and somebody was recognized; `puid` and `guid` are encrypted.' },
);
export type PredictReply = Static<typeof PredictReply>;

export const PredictListReply = Type.Object(
  { status: StatusZero, message: Message, PI_list: Type.Array(ListedPerson, { description: 'Best first.' }) },
  { $id: 'PredictListReply', description: 'K above 1 and somebody was recognized.' },
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
  { $id: 'NotRecognizedReply', description: 'Nobody in the gallery is similar enough.' },
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
  { $id: 'PlainPredictReply', description: 'K = 1 and somebody was recognized.' },
);
export type PlainPredictReply = Static<typeof PlainPredictReply>;

export const PlainPredictListReply = Type.Object(
  {
    status: StatusZero,
    statusCode: StatusCode,
    message: Message,
    PI_list: Type.Array(ListedPerson, { description: 'Best first.' }),
  },
  { $id: 'PlainPredictListReply', description: 'K above 1 and somebody was recognized.' },
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
  { $id: 'PlainNotRecognizedReply', description: 'Nobody in the gallery is similar enough.' },
);
export type PlainNotRecognizedReply = Static<typeof PlainNotRecognizedReply>;

const unusableFields = {
  statusCode: Type.Optional(Type.Integer({ description: '200, on the plain endpoints.' })),
  message: Type.String(),
};

/** A face that cannot be used: HTTP 200 all the same. */
export const EnrollUnusableReply = Type.Object(
  { status: Type.Literal(152), ...unusableFields },
  { $id: 'EnrollUnusableReply', description: 'No usable embedding was left after the bad ones were removed.' },
);
export type EnrollUnusableReply = Static<typeof EnrollUnusableReply>;

export const PredictUnusableReply = Type.Object(
  { status: Type.Literal(153), ...unusableFields },
  { $id: 'PredictUnusableReply', description: 'No usable embedding was left after the bad ones were removed.' },
);
export type PredictUnusableReply = Static<typeof PredictUnusableReply>;
