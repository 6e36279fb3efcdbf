// Says whether a document gives back the light of the screen before it, as paper and plastic do, or shines by itself.
import type { LightColour } from '@limen/plan';
import type { ShownColour } from './colours.ts';
import { applyResponse, type Delay, fitOrder, multiply, removeDisturbances } from './fit-response.ts';
import { CELLS, type DocumentSample } from './measure-document.ts';
import { listDisturbances, readPlace } from './read-series.ts';
import { createTrial, drawOthers, scatterOf } from './try-orders.ts';

/** A document before the colours of a screen reflects their light, shines by itself, or the frames do not tell. */
export type DocumentLight = 'reflects' | 'shines' | 'unknown';

export interface DocumentLightRules {
  /** Frames for each colour, at least. */
  framesPerColour: number;
  /** Of the cells, so many must have been seen all the time. */
  leastCells: number;
  lagStepMs: number;
  mostLagMs: number;
  others: number;
  /** Which part of the cells counts, those that answer least: glass mirrors the screen in some of them. */
  part: number;
  /** Of what the face answered, farther away: a document answers more, glass much less. */
  share: number;
  /** Deviations that an answer must be away from it. */
  sureness: number;
}

export const DOCUMENT_LIGHT_RULES: DocumentLightRules = {
  framesPerColour: 2,
  leastCells: 6,
  lagStepMs: 25,
  mostLagMs: 350,
  others: 99,
  part: 1 / 3,
  share: 0.5,
  sureness: 1.5,
};

export interface DocumentLightJudgement {
  finding: DocumentLight;
  /** As shares of the light that comes from it; null where it was hardly seen. */
  figures: { frames: number; response: number; deviation: number; limit: number } | null;
}

const UNKNOWN: DocumentLightJudgement = { finding: 'unknown', figures: null };

/** `faceResponse`: what the same screen did to the person's face in the same room, as `judgeLight` says. */
export function judgeDocument(
  samples: readonly DocumentSample[],
  shown: readonly ShownColour[],
  faceResponse: number,
  rules: DocumentLightRules = DOCUMENT_LIGHT_RULES,
): DocumentLightJudgement {
  const counted = samples.filter(({ at }) => at >= (shown[0]?.at ?? Infinity));
  if (shown.length === 0 || counted.length < rules.framesPerColour * shown.length) return UNKNOWN;
  const cells = Array.from({ length: CELLS }, (_, cell) =>
    readPlace(counted.map((sample) => sample.cells.subarray(cell * 3, cell * 3 + 3))),
  ).filter((cell) => cell !== null);
  if (cells.length < rules.leastCells) return UNKNOWN;
  const times = counted.map(({ at }) => at);
  const disturbances = listDisturbances([times]);
  const whole = cells[0]!.map((_, i) => cells.reduce((sum, cell) => sum + cell[i]!, 0) / cells.length);
  const order = shown.map(({ colour }) => colour);
  const { delay } = createTrial({ times, disturbances, face: whole }, shown, rules).fit(order);
  const clean = cells.map((cell) => removeDisturbances(disturbances, cell));
  const answers = clean.map((values) => ({ values, ...fitOrder(delay, multiply(values, delay), order) }));
  const least = answers
    .toSorted((one, other) => one.response - other.response)
    .slice(0, Math.ceil(answers.length * rules.part));
  const { response, deviation } = measureAnswer(
    least[0]!.values.map((_, i) => least.reduce((sum, { values }) => sum + values[i]!, 0) / least.length),
    delay,
    order,
    rules,
  );
  const limit = rules.share * faceResponse;
  const figures = { frames: counted.length, response, deviation, limit };
  // Below nothing there is nothing: a response far below it says only how large the noise is.
  if (Math.max(response, 0) + rules.sureness * deviation < limit) return { finding: 'shines', figures };
  return { finding: response - rules.sureness * deviation > limit ? 'reflects' : 'unknown', figures };
}

/** Together they have less noise than each of them has. */
function measureAnswer(
  values: Float64Array,
  delay: Delay,
  order: readonly LightColour[],
  rules: DocumentLightRules,
): { response: number; deviation: number } {
  const fitted = fitOrder(delay, multiply(values, delay), order);
  const made = applyResponse(delay, order, fitted);
  const rest = multiply(
    values.map((value, i) => value - made[i]!),
    delay,
  );
  const others = drawOthers(order, rules.others);
  return {
    response: fitted.response,
    deviation: scatterOf(others.map((other) => fitOrder(delay, rest, other).response)),
  };
}
