// The face model as tokens name it: an id in every header, and the version of the gallery its people live in.
import { writeId } from '@limen/token/shared';

export type TokenModel = ReturnType<typeof describeTokenModel>;

const EMBEDDING_DIMENSIONS = 512;
const ID_HEX_DIGITS = 32;
const VERSION_HEX_DIGITS = 16;
/** Of every model of the manifest; the galleries of such versions are those of verification sessions. */
const VERSION_PREFIX = 'LIMEN_';

/** `identity` of the manifest's model for the role `embedding`: a SHA-256 in hexadecimal. */
export function describeTokenModel(identity: string) {
  return {
    /** The first 16 bytes of the model's identity, as the header of a token has them. */
    modelId: writeId(Buffer.from(identity.slice(0, ID_HEX_DIGITS), 'hex')),
    modelVersion: `${VERSION_PREFIX}${identity.slice(0, VERSION_HEX_DIGITS).toUpperCase()}`,
    /** Numbers in an embedding. */
    dimensions: EMBEDDING_DIMENSIONS,
  };
}

/** Whether people of verification sessions may live in galleries of this version, of this model or an earlier one. */
export function isSignInVersion(modelVersion: string): boolean {
  return modelVersion.startsWith(VERSION_PREFIX);
}
