// Judges whether a face was lit by the drawn colors, in their order and at their time, like a head.
import { LIGHT_COLORS, type LightColor, type LightFinding } from '@limen/plan';
import type { ShownColor } from './colours.ts';
import { applyResponse, fitOrder, multiply } from './fit-response.ts';
import { judgeShape, type Shape } from './judge-shape.ts';
import type { LightSample } from './measure-light.ts';
import { readSeries } from './read-series.ts';
import { createTrial, drawOthers, measureScatter, type Trial } from './try-orders.ts';

export interface LightRules {
  /** Minimum usable frames of the face per color. */
  framesPerColour: number;
  /** Range and step of the delay of camera and screen. */
  lagStepMs: number;
  mostLagMs: number;
  /** Random orders that the drawn one has to beat. */
  others: number;
  /** Standard deviations from zero for a response, and from the minimum for its absence. */
  sureness: number;
  doubt: number;
  /** Maximum number of better random orders for a hint of light. */
  hint: number;
  /** Share of the changes that another order must explain, with the remainder as its lead. */
  otherOrder: number;
  /** Minimum frames per color for the search for another order. */
  framesForOrder: number;
  /**
   * Shares of the light on the face. Below `leastResponse` the room outshines the screen; below
   * `leastLit` there is no response. The former is about as low as animations allow: none of 280
   * could have more than 0.0042.
   */
  leastResponse: number;
  leastLit: number;
}

export const DEFAULT_LIGHT_RULES: LightRules = {
  framesPerColour: 2,
  lagStepMs: 25,
  mostLagMs: 350,
  others: 199,
  sureness: 3,
  doubt: 1.5,
  hint: 1,
  otherOrder: 0.9,
  framesForOrder: 3,
  leastResponse: 0.0045,
  leastLit: 0.002,
};

/** Measurements of the finding. Never a picture or data that identifies a person. */
export interface LightFigures {
  frames: number;
  /** Response of the face relative to the light on it, and its deviation. */
  response: number;
  deviation: number;
  byChannel: readonly number[];
  lagMs: number;
  /** Share of the changes explained by the drawn colors, and by the best random order. */
  explained: number;
  explainedByOthers: number;
  /** Number of random orders that explain as much. */
  better: number;
  /** Whether another order explains nearly everything, and much more than the drawn one. */
  isOtherOrder: boolean;
  hasRoom: boolean;
  shape: Shape;
}

export interface LightJudgment {
  finding: Exclude<LightFinding, 'declined'>;
  because: string;
  figures: LightFigures | null;
}

/** Returns whether a second round could help. No single round calls anyone unlit. */
export function mayTellMore({ finding, figures }: LightJudgment): boolean {
  return finding !== 'lit' && figures !== null;
}

/** Returns whether none of the screen's light is on the face. */
export function isOutshone({ because }: LightJudgment): boolean {
  return because === NOT_ON_FACE || because === DAYLIGHT;
}

/** In daylight reported by the camera, a genuine face shows no screen light either. */
export function allowForDaylight(judgment: LightJudgment, isDaylight: boolean): LightJudgment {
  if (!isDaylight || judgment.because !== NOT_ON_FACE) return judgment;
  return { ...judgment, finding: 'inconclusive', because: DAYLIGHT };
}

export function judgeLight(
  samples: readonly LightSample[],
  shown: readonly ShownColor[],
  rules: LightRules = DEFAULT_LIGHT_RULES,
): LightJudgment {
  // Earlier frames show the plain page or an invalid attempt.
  const series = readSeries(samples.filter(({ at }) => at >= (shown[0]?.at ?? 0)));
  if (!series || series.times.length < rules.framesPerColour * shown.length)
    return { finding: 'inconclusive', because: series ? 'too few frames' : NOT_SEEN, figures: null };
  const trial = createTrial(series, shown, rules);
  const order = shown.map(({ colour: color }) => color);
  const drawn = trial.fit(order);
  const made = applyResponse(drawn.delay, order, drawn);
  const rest = multiply(
    trial.changes.values.map((value, i) => value - made[i]!),
    drawn.delay,
  );
  const others = drawOthers(order, rules.others);
  let better = 0;
  let best = { order, explained: 0 };
  const chance: number[] = [];
  for (const other of others) {
    const { explained } = trial.fit(other);
    if (explained >= drawn.explained) better += 1;
    if (explained > best.explained) best = { order: other, explained };
    chance.push(fitOrder(drawn.delay, rest, other).response);
  }
  const { whole } = trial.changes;
  const figures: LightFigures = {
    frames: series.times.length,
    response: drawn.response,
    deviation: measureScatter(chance),
    byChannel: [...drawn.byChannel],
    lagMs: drawn.delay.lagMs,
    explained: drawn.explained / whole,
    explainedByOthers: best.explained / whole,
    better,
    isOtherOrder: findOtherOrder(trial, drawn.explained, best, rules),
    hasRoom: series.hasRoom,
    shape: judgeShape(series, made),
  };
  return { ...decide(figures, rules), figures };
}

const NOT_SEEN = 'the face was not seen';
const NOT_ON_FACE = 'the light of the screen is not on the face';
const DAYLIGHT = 'it is too bright for a screen, by the camera';

function decide(figures: LightFigures, rules: LightRules): Pick<LightJudgment, 'finding' | 'because'> {
  const { response, deviation, byChannel, better, isOtherOrder, shape } = figures;
  const least = Math.max(rules.sureness * deviation, rules.leastLit);
  const isThere = better === 0 && response > least && byChannel.every((share) => share > 0);
  if (isThere && shape.looks === 'flat') return { finding: 'not_lit', because: 'lit as a flat thing is' };
  if (isThere && shape.looks === 'head') return { finding: 'lit', because: 'lit as drawn' };
  if (isThere && shape.looks === 'painted') return { finding: 'inconclusive', because: 'lit as a painted picture is' };
  // It could be a tint.
  if (isThere) return { finding: 'inconclusive', because: 'lit as drawn, but its shape cannot be told' };
  if (isOtherOrder) return { finding: 'not_lit', because: 'lit in another order' };
  // Something of the drawn order is visible, as with a dim or night-tinted screen.
  const isHinted = better <= rules.hint || response > rules.sureness * deviation;
  // Negative responses only show the amount of noise.
  if (!isHinted && Math.max(response, 0) + rules.doubt * deviation < rules.leastResponse)
    return { finding: 'not_lit', because: NOT_ON_FACE };
  return { finding: 'inconclusive', because: 'too little light to tell' };
}

/** Searches for the order that was shown, changing one color of the best one at a time. */
function findOtherOrder(
  { changes: { times, whole }, fit }: Trial,
  explainedByDrawn: number,
  from: { order: readonly LightColor[]; explained: number },
  { framesForOrder, otherOrder }: LightRules,
): boolean {
  if (times.length < framesForOrder * from.order.length) return false;
  let best = from;
  for (let round = 0; round < 2; round += 1)
    for (const place of from.order.keys())
      for (const color of LIGHT_COLORS) {
        const order = best.order.with(place, color);
        const { explained } = fit(order);
        if (explained > best.explained) best = { order, explained };
      }
  return best.explained > otherOrder * whole && best.explained - explainedByDrawn > (1 - otherOrder) * whole;
}
