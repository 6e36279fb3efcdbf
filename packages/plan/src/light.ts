// The light challenge: the screen shows colors in a random order and the page measures their light
// on the face.

/** Names of the colors; the page defines their appearance. */
export const LIGHT_COLORS = ['red', 'yellow', 'green', 'cyan', 'blue', 'magenta'] as const;
export type LightColor = (typeof LIGHT_COLORS)[number];

/** Colors per round. Neighbors differ, and at least LIGHT_LEAST_COLOURS are distinct. */
export const LIGHT_LENGTH = 6;
/** Colors of one attempt: `colours`, then `again`. */
export const COLORS_PER_ATTEMPT = 2 * LIGHT_LENGTH;
export const LIGHT_LEAST_COLORS = 4;

/** Maximum attempts with colors, limited by the size of an answer. Later attempts have none. */
export const LIGHT_ATTEMPTS = 4;

/** Duration of each color, drawn per attempt with this spread and step. */
export const LIGHT_MS = 450;
export const LIGHT_MS_SPREAD = 50;
export const LIGHT_MS_STEP = 10;

/** Minimum share of that time in percent, because screens and timers are inexact. */
export const LIGHT_LEAST_PERCENT = 80;

/** Maximum time until the next color, including judging and turning away between rounds. */
export const LIGHT_MOST_MS = 15_000;

/** The face was lit as drawn, was not, is unclear, or the person declined. */
export const LIGHT_FINDINGS = ['lit', 'not_lit', 'inconclusive', 'declined'] as const;
export type LightFinding = (typeof LIGHT_FINDINGS)[number];

/** Draw for one attempt. */
export interface LightDraw {
  /** Colors after the movements, in this order. */
  colours: LightColor[];
  /** Second round after an unclear first one. */
  again: LightColor[];
  colourMs: number;
}

/** Light of a face step. */
export interface LightPlan {
  /**
   * Draws per attempt, in order. Seen colors could be prepared for, so the next attempt has new
   * ones. Attempts that end before any color use none up.
   */
  attempts: LightDraw[];
  /** Whether a face that was not found lit as drawn needs more evidence. */
  required: boolean;
}

/** Lists all colors of an attempt in order. */
export function listColors({ colours: colors, again }: LightDraw): LightColor[] {
  return [...colors, ...again];
}

/** Returns the index of an attempt's first color among all drawn colors, as in the log. */
export function findFirstColor({ attempts }: LightPlan, attempt: number): number {
  return attempts.slice(0, attempt).reduce((sum, draw) => sum + listColors(draw).length, 0);
}

/** Light shown in the attempt that counts, according to the log. */
export interface LightCourse {
  colours: number;
  /** Whether the person stopped the colors. */
  isStopped: boolean;
}

/** Findings that are possible for the shown light. One round never finds a face unlit. */
export function listPossibleFindings(
  plan: LightPlan,
  { colours: colors, isStopped }: LightCourse,
): readonly LightFinding[] {
  const [draw] = plan.attempts;
  if (!draw || colors === 0) return ['declined'];
  if (isStopped) return draw.again.length > 0 && colors >= draw.colours.length ? ['declined', 'not_lit'] : ['declined'];
  return colors < listColors(draw).length ? ['lit', 'inconclusive'] : ['lit', 'not_lit', 'inconclusive'];
}

/** Returns the number of colors that the log can name. */
export function countColors({ attempts }: LightPlan): number {
  return attempts.flatMap(listColors).length;
}
