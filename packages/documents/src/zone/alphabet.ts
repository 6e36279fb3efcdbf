// The recogniser's classes, and the size and shape of the line that it is fed.
import { ZONE_CHARACTERS } from '../mrz/grammar.ts';

/** The recogniser's last class: a column between two characters, or beside the text. */
export const BETWEEN = ZONE_CHARACTERS.length;
export const CLASSES = BETWEEN + 1;

/**
 * A line image: the background flattened to about 235 to 255, the ink dark. Capitals are 17 to 23 px high and centred
 * within 4 px, the pitch is 17 to 24 px, so that the 44 characters of a passport fit; the slope is at most 2 px over 8
 * characters. The text begins within the first 60 px or anywhere after white, and what is left over is white.
 */
export const LINE_HEIGHT = 32;
export const LINE_WIDTH = 1024;
/** Pixels of a line per column of the recogniser's output. */
export const COLUMN_WIDTH = 4;
export const COLUMNS = LINE_WIDTH / COLUMN_WIDTH;
export const MIN_PITCH = 17;
export const MAX_PITCH = 24;
