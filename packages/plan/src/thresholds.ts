// Thresholds that several sides need.

/** Least score of the live face against the one on the document; a host of age sessions may choose another. */
export const FACE_MATCH_THRESHOLD = 0.42;
