// The recognizer's classes, and the format of its line input.
import { ZONE_CHARACTERS } from '../mrz/grammar.ts';

/** The recognizer's last class: a column without a character. */
export const BETWEEN = ZONE_CHARACTERS.length;
export const CLASSES = BETWEEN + 1;

/**
 * Format of a line: background flattened to about 235 to 255, dark ink. Capitals are 17 to 23 px
 * high and centered within 4 px. The pitch is 17 to 24 px, so that 44 characters fit; the slope is
 * at most 2 px over 8 characters. Text may start anywhere after white, and the rest is white.
 */
export const LINE_HEIGHT = 32;
export const LINE_WIDTH = 1024;
/** Pixels per column of the recognizer's output. */
export const COLUMN_WIDTH = 4;
export const COLUMNS = LINE_WIDTH / COLUMN_WIDTH;
export const MIN_PITCH = 17;
export const MAX_PITCH = 24;
