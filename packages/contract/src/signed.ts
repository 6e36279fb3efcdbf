// Signed JWTs (results, evidence, deletion receipts) and the public keys that verify them.
import { type Static, Type } from 'typebox';
import { oneOf } from './one-of.ts';

/** The JWT’s `typ`. It keeps tokens of different kinds apart. */
export const SignedType = oneOf([
  'limen-age-result+jwt',
  'limen-verification-result+jwt',
  'limen-screening-evidence+jwt',
  'limen-deletion-receipt+jwt',
]);
export type SignedType = Static<typeof SignedType>;

const claims = {
  iss: Type.String({ description: 'The service’s `PUBLIC_URL`.' }),
  aud: Type.String({ description: 'Customer, or the API key’s id if the key belongs to no customer.' }),
  iat: Type.Integer({ description: 'When the token was signed, in seconds since 1970.' }),
  exp: Type.Integer({ description: 'When the token expires, in seconds since 1970.' }),
  world: oneOf(['live', 'test'], 'World of the API key. The ids of its signing keys start with this word.'),
};

export const SignedClaims = Type.Object(claims);
/** Claims in every token, besides its content. */
export type SignedClaims = Static<typeof SignedClaims>;

export const DeletedKind = oneOf(
  ['age_session', 'verification_session', 'watched_subject', 'person'],
  'Kind of the deleted object.',
);
export type DeletedKind = Static<typeof DeletedKind>;

export const DeletionReceipt = Type.Object(
  {
    ...claims,
    deleted: DeletedKind,
    deletedAt: Type.String({ format: 'date-time', description: 'When the deletion was written to disk.' }),
    idDigest: Type.String({
      description: 'SHA-256, in lower-case hex, of the id in the request: `token`, `sessionId`, `id` or plain `puid`.',
    }),
  },
  { $id: 'DeletionReceipt', description: 'Content of a deletion receipt. Contains no personal data.' },
);
export type DeletionReceipt = Static<typeof DeletionReceipt>;

export const PublicKeySet = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kty: Type.Literal('EC'),
        crv: Type.Literal('P-256'),
        x: Type.String(),
        y: Type.String(),
        kid: Type.String({ description: 'Starts with `live-` or `test-`, the world for which the key signs.' }),
        alg: Type.Literal('ES256'),
        use: Type.Literal('sig'),
      }),
    ),
  },
  { $id: 'PublicKeySet', description: 'JSON Web Key Set (RFC 7517) of public keys.' },
);
export type PublicKeySet = Static<typeof PublicKeySet>;
