// Shared by all roles: parameters, the ring, the wire format of tokens, randomness.
export {
  areWholeRows,
  type BlindedRows,
  type BlindedShape,
  PROJECTION_BYTES,
  PROJECTION_ROUNDED_AT,
  ROW_BYTES,
  ROW_LEFT_AT,
  ROW_PRODUCT_AT,
  ROW_RIGHT_AT,
  SCORE_NOISE,
  SHAPE_BALANCE_AT,
  SHAPE_BYTES,
  SHAPE_PROJECTIONS_AT,
} from './blinded-rows.ts';
export { drawSecondPolynomial, MASKED_BYTES, REENCRYPTED_BYTES, SHARE_BYTES } from './masked-body.ts';
export { packBody, type UnpackedBody, unpackBody, unpackBodyInto } from './pack-body.ts';
export {
  ALL_PLACES,
  areWholeBlocks,
  BLOCK_PLACES_AT,
  BLOCK_ROUNDED_AT,
  BLOCK_ROW_BYTES,
  BLOCK_WORDS_AT,
  type BlindedBlocks,
  COMMON_BYTES,
  countPlaces,
} from './packed/blinded-blocks.ts';
export { BLOCK_BYTES, drawForEpoch, type EpochPolynomials, NONCE_BYTES, rememberEpochs } from './packed/block.ts';
export { BLOCK_PEOPLE, FOLDED_LENGTH, foldProbe, foldToken } from './packed/fold.ts';
export {
  BODY_BYTES,
  M,
  M_SQUARED,
  MAX_DIMENSIONS,
  MIN_DIMENSIONS,
  Q,
  RING_DEGREE,
  ROUNDED_RANGE,
  SELF_PRODUCT_BOUND,
} from './parameters.ts';
export { POLYNOMIAL_BYTES, packPolynomial, unpackPolynomial } from './polynomial-bytes.ts';
export { drawProjection, EVEN_PROJECTIONS, PROJECTION_BOUND, PROJECTION_VARIANCE, PROJECTIONS } from './projection.ts';
export { fillBounded, fillGaussian, fillUniform } from './random.ts';
export {
  center,
  conjugate,
  INVERSE_OF_N,
  multiply,
  reduce,
  rootsOfUnity,
  transform,
  transformInverse,
} from './ring.ts';
export { TokenError, type TokenErrorCode } from './token-error.ts';
export {
  ID_BYTES,
  readId,
  readToken,
  TOKEN_BYTES,
  type Token,
  writeId,
  writeToken,
} from './token-header.ts';
