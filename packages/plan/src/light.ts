// The light challenge: colours that the screen throws on the face in an order that nobody can foresee, and what was seen.

/** By name; how each looks on a screen is the page's matter. */
export const LIGHT_COLOURS = ['red', 'yellow', 'green', 'cyan', 'blue', 'magenta'] as const;
export type LightColour = (typeof LIGHT_COLOURS)[number];

/** How many are drawn for a round: neighbours differ, and so many of them are different ones. */
export const LIGHT_LENGTH = 6;
/** Of one attempt: `colours`, and then `again`. */
export const COLOURS_PER_ATTEMPT = 2 * LIGHT_LENGTH;
export const LIGHT_LEAST_COLOURS = 4;

/** How many attempts at most have colours; more do not fit into an answer. Whoever begins again after them has none. */
export const LIGHT_ATTEMPTS = 4;

/** How long each is shown: drawn for each attempt, so much less or more than this, in such steps. */
export const LIGHT_MS = 450;
export const LIGHT_MS_SPREAD = 50;
export const LIGHT_MS_STEP = 10;

/** How much of that time, in percent, a colour must have had before the next one; screens and timers are not exact. */
export const LIGHT_LEAST_PERCENT = 80;

/** How long a colour may stay before the next one at most, the judging and the turning away between two rounds included. */
export const LIGHT_MOST_MS = 15_000;

/** The face was lit as drawn; was not; it could not be told; or the person wanted no flashing. */
export const LIGHT_FINDINGS = ['lit', 'not_lit', 'inconclusive', 'declined'] as const;
export type LightFinding = (typeof LIGHT_FINDINGS)[number];

/** What is drawn for one attempt. */
export interface LightDraw {
  /** In this order, after the movements. */
  colours: LightColour[];
  /** Shown after those where they could not be told. */
  again: LightColour[];
  /** How long each is shown. */
  colourMs: number;
}

/** What a face step asks for, where it asks for light. */
export interface LightPlan {
  /**
   * Each for one attempt, in this order: whoever saw the colours of an attempt could be prepared for the next one. Attempts
   * that break off before any colour use none up.
   */
  attempts: LightDraw[];
  /** Whether a face that was not found lit as drawn is not enough by itself. */
  required: boolean;
}

/** All that may be shown in an attempt, in order. */
export function allColours({ colours, again }: LightDraw): LightColour[] {
  return [...colours, ...again];
}

/** Position of an attempt's first colour among all that were drawn, which is how the log names them. */
export function firstColourOf({ attempts }: LightPlan, attempt: number): number {
  return attempts.slice(0, attempt).reduce((sum, draw) => sum + allColours(draw).length, 0);
}

/** How far the light of the attempt that counts was shown, by the log. */
export interface LightCourse {
  colours: number;
  /** The person wanted no more of them. */
  isStopped: boolean;
}

/**
 * What can have been found, by what was shown. Nobody is called unlit by one round where there is another; but whoever
 * stops the second one cannot take back what the first has shown.
 */
export function possibleFindings(plan: LightPlan, { colours, isStopped }: LightCourse): readonly LightFinding[] {
  const [draw] = plan.attempts;
  if (!draw || colours === 0) return ['declined'];
  if (isStopped)
    return draw.again.length > 0 && colours >= draw.colours.length ? ['declined', 'not_lit'] : ['declined'];
  return colours < allColours(draw).length ? ['lit', 'inconclusive'] : ['lit', 'not_lit', 'inconclusive'];
}

/** How many colours the log can name. */
export function countColours({ attempts }: LightPlan): number {
  return attempts.flatMap(allColours).length;
}
