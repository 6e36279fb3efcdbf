// The light challenge: colours that the screen throws on the face in an order that nobody can foresee, and what was seen.

/** By name; how each looks on a screen is the page's matter. */
export const LIGHT_COLOURS = ['red', 'yellow', 'green', 'cyan', 'blue', 'magenta'] as const;
export type LightColour = (typeof LIGHT_COLOURS)[number];

/** How many are drawn for a round: neighbours differ, and so many of them are different ones. */
export const LIGHT_LENGTH = 6;
export const LIGHT_LEAST_COLOURS = 4;

/** How long each is shown: drawn for each session, so much less or more than this, in such steps. */
export const LIGHT_MS = 450;
export const LIGHT_MS_SPREAD = 50;
export const LIGHT_MS_STEP = 10;

/** How much of that time, in percent, a colour must have had before the next one; screens and timers are not exact. */
export const LIGHT_LEAST_PERCENT = 80;

/** The face was lit as drawn; was not; it could not be told; or the person wanted no flashing. */
export const LIGHT_FINDINGS = ['lit', 'not_lit', 'inconclusive', 'declined'] as const;
export type LightFinding = (typeof LIGHT_FINDINGS)[number];

/** What a face step asks for, where it asks for light. */
export interface LightPlan {
  /** In this order, after the movements. */
  colours: LightColour[];
  /** Shown after those where they could not be told; plans of earlier versions have none. */
  again?: LightColour[] | undefined;
  /** How long each is shown. */
  colourMs: number;
  /** Whether a face that was not found lit as drawn is not enough by itself. */
  required: boolean;
}

/** All that may be shown, in order. */
export function allColours({ colours, again = [] }: Pick<LightPlan, 'colours' | 'again'>): LightColour[] {
  return [...colours, ...again];
}
