// Parameters of the face token, with the reason for each.

/**
 * The ring is Z_q[X]/(X^n + 1). n = 2048 with a modulus of 53 bits (q·P) and a ternary secret is
 * 128-bit secure against classical attacks by the homomorphic encryption standard (at most 54 bits)
 * and the 2024 guidelines (53).
 */
export const RING_DEGREE = 2048;
export const RING_DEGREE_BITS = 11;

/** Data prime: the largest of 26 bits with q ≡ 1 mod 2n. Products are exact in a float64. */
export const Q = 67_104_769;
export const Q_BITS = 26;

/** Special prime, 27 bits: encryption divides by it, which leaves noise of about 11. */
export const P = 134_176_769;
export const P_BITS = 27;

/**
 * Length of an encoded unit vector. The product of two tokens has the cosine times M² as its
 * constant coefficient, and M² = q / 2.2 leaves room for ±1.1 before it wraps around.
 */
export const M = 5522;
export const M_SQUARED = M * M;

/** Real slots of the encoder. An embedding uses the first 128 to 512 of them. */
export const SLOTS = RING_DEGREE / 2;
export const MIN_DIMENSIONS = 128;
export const MAX_DIMENSIONS = 512;

/** Two polynomials of 2048 coefficients at 26 bits each. */
export const BODY_BYTES = (2 * RING_DEGREE * Q_BITS) / 8;

/** Standard deviation of our errors. SEAL's are centered binomial with 3.24. */
export const NOISE_SIGMA = 3.2;

/**
 * The linear terms of a blinded row are rounded from 26 bits to 16: a step of q / 65,536. The
 * rounding hides them, and costs 3.6e-4 of the cosine for each of the two.
 */
export const ROUNDED_RANGE = 65_536;

/**
 * A body multiplied with itself has c1² as its third term, which would reveal c1 up to the signs of
 * its 2048 values. The evaluator therefore adds a polynomial with coefficients uniform in -512..512
 * to that term (and to no other row's): 1.3% of the norm, which the norm's window allows for.
 */
export const SELF_PRODUCT_BOUND = 512;

/** Number of this table in a token's header. A changed table needs a new number. */
export const PARAMETER_SET = 1;
