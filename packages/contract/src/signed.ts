// What the service signs: results, evidence and receipts of deletions as JWTs, and the public keys to check them with.
import { type Static, Type } from 'typebox';
import { oneOf } from './one-of.ts';

/** The JWT's `typ`: a token of one kind never passes for another. */
export const SignedType = oneOf([
  'limen-age-result+jwt',
  'limen-verification-result+jwt',
  'limen-screening-evidence+jwt',
  'limen-deletion-receipt+jwt',
]);
export type SignedType = Static<typeof SignedType>;

const claims = {
  iss: Type.String({ description: 'The service’s `PUBLIC_URL`.' }),
  aud: Type.String({ description: 'The customer, or the API key’s id where it belongs to none.' }),
  iat: Type.Integer({ description: 'When it was signed, in seconds since 1970.' }),
  exp: Type.Integer({ description: 'Until when it is to be accepted, in seconds since 1970.' }),
  world: oneOf(['live', 'test'], 'The world of the API key. Its signing keys have ids that begin with it.'),
};

export const SignedClaims = Type.Object(claims);
/** What every token of the service says beside its contents. */
export type SignedClaims = Static<typeof SignedClaims>;

export const DeletedKind = oneOf(
  ['age_session', 'verification_session', 'watched_subject', 'person'],
  'What kind of thing was deleted.',
);
export type DeletedKind = Static<typeof DeletedKind>;

export const DeletionReceipt = Type.Object(
  {
    ...claims,
    deleted: DeletedKind,
    deletedAt: Type.String({ format: 'date-time', description: 'When the deletion was saved to disk.' }),
    idDigest: Type.String({
      description:
        'SHA-256, in lower-case hex, of the id that the call named: `token`, `sessionId`, `id` or plain `puid`.',
    }),
  },
  { $id: 'DeletionReceipt', description: 'What the receipt of a deletion says; no personal value.' },
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
        kid: Type.String({ description: 'Begins with `live-` or `test-`: the world that the key signs for.' }),
        alg: Type.Literal('ES256'),
        use: Type.Literal('sig'),
      }),
    ),
  },
  { $id: 'PublicKeySet', description: 'A JSON Web Key Set (RFC 7517) of public keys.' },
);
export type PublicKeySet = Static<typeof PublicKeySet>;
