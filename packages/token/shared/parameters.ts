// The parameters of the face token in one table, with the reasons for each.

/**
 * The ring is Z_q[X]/(X^n + 1). n = 2048 with 53 bits of modulus in all (q·P) and a ternary secret is 128-bit secure
 * against classical attacks in the homomorphic encryption standard (at most 54 bits) and in the 2024 guidelines (53).
 */
export const RING_DEGREE = 2048;
export const RING_DEGREE_BITS = 11;

/** The data prime: the largest of 26 bits with q ≡ 1 mod 2n. Products stay below 2^52 and so exact in a float64. */
export const Q = 67_104_769;
export const Q_BITS = 26;

/** The special prime, 27 bits: encryption runs modulo q·P and divides by P, which leaves noise of about 11, not 167. */
export const P = 134_176_769;
export const P_BITS = 27;

/**
 * The length a unit vector is encoded with. The product of two tokens has the cosine times M² as its constant
 * coefficient, and M² = q / 2.2 leaves room for ±1.1 before it wraps around.
 */
export const M = 5522;
export const M_SQUARED = M * M;

/** Real slots of the encoder; an embedding uses the first 128 to 512 of them. */
export const SLOTS = RING_DEGREE / 2;
export const MIN_DIMENSIONS = 128;
export const MAX_DIMENSIONS = 512;

/** Two polynomials of 2048 coefficients at 26 bits each. */
export const BODY_BYTES = (2 * RING_DEGREE * Q_BITS) / 8;

/** Standard deviation of the errors that we draw; SEAL's own are centred binomial with 3.24. */
export const NOISE_SIGMA = 3.2;

/**
 * The linear terms of a blinded row are rounded from 26 bits to 16: a step of q / 65,536. The rounding hides them, and
 * costs 3.6e-4 of the cosine for each of the two.
 */
export const ROUNDED_RANGE = 65_536;

/**
 * A body multiplied with itself has c1² as its third term, which would tell c1 up to the signs of its 2048 values. So the
 * evaluator adds a polynomial with coefficients uniform in -512..512 to that term (and to no other row's): 1.3 % of the
 * norm, which the norm's window allows for.
 */
export const SELF_PRODUCT_BOUND = 512;

/** The number of this table in a token's header. Another table gets another number. */
export const PARAMETER_SET = 1;
