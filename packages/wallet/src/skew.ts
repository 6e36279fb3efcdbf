// How far clocks may be apart.

/** A clock of an issuer or authority may be ahead of ours by this much. */
export const SKEW_MS = 300_000;
