// The characters that a machine-readable zone is written with.

/** The index is the recogniser's class. */
export const ZONE_CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<';
