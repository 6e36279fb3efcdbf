// Says whether a face was lit by the colours that the service drew: by them, in their order, at their time, as a head is.
import { LIGHT_COLOURS, type LightColour, type LightFinding } from '@limen/plan';
import type { ShownColour } from './colours.ts';
import { applyResponse, fitOrder, multiply } from './fit-response.ts';
import { judgeShape, type Shape } from './judge-shape.ts';
import type { LightSample } from './measure-light.ts';
import { readSeries } from './read-series.ts';
import { createTrial, drawOthers, scatterOf, type Trial } from './try-orders.ts';

export interface LightRules {
  /** Frames of the face that tell anything, for each colour, at least. */
  framesPerColour: number;
  /** How late a camera and a screen show what was asked for, in steps. */
  lagStepMs: number;
  mostLagMs: number;
  /** Other orders of colours that the drawn one has to beat. */
  others: number;
  /** Deviations that a response must be away from nothing, to be one; and from the least that counts, to be none. */
  sureness: number;
  doubt: number;
  /** So few of the others explain as much that chance alone is unlikely. */
  hint: number;
  /** Share of the changes that another order must explain, and be ahead by the rest, to be the one that was shown. */
  otherOrder: number;
  /** Frames for each colour, at least, to look for one. */
  framesForOrder: number;
  /**
   * Of the light on the face: below the first a screen is drowned by the room, below the second no answer is one. The first is
   * about as low as animations without light allow: of 280, none could be thought to have more than 0.0042.
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

/** The numbers behind the finding; never a picture, and nothing that tells one person from another. */
export interface LightFigures {
  frames: number;
  /** Response of the face, as a share of the light on it, and its deviation. */
  response: number;
  deviation: number;
  byChannel: readonly number[];
  lagMs: number;
  /** Share of the change that the drawn colours explain, and the best of the others. */
  explained: number;
  explainedByOthers: number;
  /** How many of the others explain as much. */
  better: number;
  /** Another order was found that explains nearly all, and much more than the drawn one. */
  isOtherOrder: boolean;
  hasRoom: boolean;
  shape: Shape;
}

export interface LightJudgement {
  finding: Exclude<LightFinding, 'declined'>;
  /** In a word, for the record. */
  because: string;
  figures: LightFigures | null;
}

/**
 * More colours may tell what these did not, and nobody is said to be unlit by one round alone. Where the face was hardly
 * seen, they would not tell more.
 */
export function mayTellMore({ finding, figures }: LightJudgement): boolean {
  return finding !== 'lit' && figures !== null;
}

/** Of a screen that shines, nothing is on the face: what is there is no face before it, or the room outshines the screen. */
export function isOutshone({ because }: LightJudgement): boolean {
  return because === NOT_ON_FACE || because === DAYLIGHT;
}

/** Where the camera itself tells of daylight, a face without the screen's light is what a person would show as well. */
export function allowForDaylight(judgement: LightJudgement, isDaylight: boolean): LightJudgement {
  if (!isDaylight || judgement.because !== NOT_ON_FACE) return judgement;
  return { ...judgement, finding: 'inconclusive', because: DAYLIGHT };
}

export function judgeLight(
  samples: readonly LightSample[],
  shown: readonly ShownColour[],
  rules: LightRules = DEFAULT_LIGHT_RULES,
): LightJudgement {
  // What came before is the plain page, or of an attempt that does not count.
  const series = readSeries(samples.filter(({ at }) => at >= (shown[0]?.at ?? 0)));
  if (!series || series.times.length < rules.framesPerColour * shown.length)
    return { finding: 'inconclusive', because: series ? 'too few frames' : NOT_SEEN, figures: null };
  const trial = createTrial(series, shown, rules);
  const order = shown.map(({ colour }) => colour);
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
    deviation: scatterOf(chance),
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

function decide(figures: LightFigures, rules: LightRules): Pick<LightJudgement, 'finding' | 'because'> {
  const { response, deviation, byChannel, better, isOtherOrder, shape } = figures;
  const least = Math.max(rules.sureness * deviation, rules.leastLit);
  const isThere = better === 0 && response > least && byChannel.every((share) => share > 0);
  if (isThere && shape.looks === 'flat') return { finding: 'not_lit', because: 'lit as a flat thing is' };
  if (isThere && shape.looks === 'head') return { finding: 'lit', because: 'lit as drawn' };
  if (isThere && shape.looks === 'painted') return { finding: 'inconclusive', because: 'lit as a painted picture is' };
  // A tint could be all that it is.
  if (isThere) return { finding: 'inconclusive', because: 'lit as drawn, but its shape cannot be told' };
  if (isOtherOrder) return { finding: 'not_lit', because: 'lit in another order' };
  // Something of the drawn order is there: a dim screen, or one that is tinted for the night.
  const isHinted = better <= rules.hint || response > rules.sureness * deviation;
  // Below nothing there is nothing: a response far below it says only how large the noise is.
  if (!isHinted && Math.max(response, 0) + rules.doubt * deviation < rules.leastResponse)
    return { finding: 'not_lit', because: NOT_ON_FACE };
  return { finding: 'inconclusive', because: 'too little light to tell' };
}

/** Looks for the order that was shown instead, from the best of the others on, one colour at a time. */
function findOtherOrder(
  { changes: { times, whole }, fit }: Trial,
  explainedByDrawn: number,
  from: { order: readonly LightColour[]; explained: number },
  { framesForOrder, otherOrder }: LightRules,
): boolean {
  if (times.length < framesForOrder * from.order.length) return false;
  let best = from;
  for (let round = 0; round < 2; round += 1)
    for (const place of from.order.keys())
      for (const colour of LIGHT_COLOURS) {
        const order = best.order.with(place, colour);
        const { explained } = fit(order);
        if (explained > best.explained) best = { order, explained };
      }
  return best.explained > otherOrder * whole && best.explained - explainedByDrawn > (1 - otherOrder) * whole;
}
