// Judges whether a document reflects the screen's light, like paper and plastic, or shines by
// itself.
import type { LightColor } from '@limen/plan';
import type { ShownColor } from './colours.ts';
import { applyResponse, type Delay, fitOrder, multiply, removeDisturbances } from './fit-response.ts';
import { CELLS, type DocumentSample } from './measure-document.ts';
import { listDisturbances, readPlace } from './read-series.ts';
import { createTrial, drawOthers, measureScatter } from './try-orders.ts';

export type DocumentLight = 'reflects' | 'shines' | 'unknown';

export interface DocumentLightRules {
  framesPerColour: number;
  /** Minimum cells that were visible all the time. */
  leastCells: number;
  lagStepMs: number;
  mostLagMs: number;
  others: number;
  /** Share of the cells that counts: glass mirrors the screen in some cells. */
  part: number;
  /** Limit relative to the face's response. Documents respond more, glass much less. */
  share: number;
  /** Required distance from the limit, in standard deviations. */
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

export interface DocumentLightJudgment {
  finding: DocumentLight;
  /** Shares of the document's light; null if it was hardly visible. */
  figures: { frames: number; response: number; deviation: number; limit: number } | null;
}

const UNKNOWN: DocumentLightJudgment = { finding: 'unknown', figures: null };

/** `faceResponse`: response of the face to the same screen in the same room, from `judgeLight`. */
export function judgeDocument(
  samples: readonly DocumentSample[],
  shown: readonly ShownColor[],
  faceResponse: number,
  rules: DocumentLightRules = DOCUMENT_LIGHT_RULES,
): DocumentLightJudgment {
  const counted = samples.filter(({ at }) => at >= (shown[0]?.at ?? Infinity));
  if (shown.length === 0 || counted.length < rules.framesPerColour * shown.length) return UNKNOWN;
  const cells = Array.from({ length: CELLS }, (_, cell) =>
    readPlace(counted.map((sample) => sample.cells.subarray(cell * 3, cell * 3 + 3))),
  ).filter((cell) => cell !== null);
  if (cells.length < rules.leastCells) return UNKNOWN;
  const times = counted.map(({ at }) => at);
  const disturbances = listDisturbances([times]);
  const whole = cells[0]!.map((_, i) => cells.reduce((sum, cell) => sum + cell[i]!, 0) / cells.length);
  const order = shown.map(({ colour: color }) => color);
  const { delay } = createTrial({ times, disturbances, face: whole }, shown, rules).fit(order);
  const clean = cells.map((cell) => removeDisturbances(disturbances, cell));
  const answers = clean.map((values) => ({ values, ...fitOrder(delay, multiply(values, delay), order) }));
  const least = answers.toSorted((a, b) => a.response - b.response).slice(0, Math.ceil(answers.length * rules.part));
  const { response, deviation } = measureAnswer(
    least[0]!.values.map((_, i) => least.reduce((sum, { values }) => sum + values[i]!, 0) / least.length),
    delay,
    order,
    rules,
  );
  const limit = rules.share * faceResponse;
  const figures = { frames: counted.length, response, deviation, limit };
  // Negative responses only show the amount of noise.
  if (Math.max(response, 0) + rules.sureness * deviation < limit) return { finding: 'shines', figures };
  return { finding: response - rules.sureness * deviation > limit ? 'reflects' : 'unknown', figures };
}

/** Averaged cells have less noise than single ones. */
function measureAnswer(
  values: Float64Array,
  delay: Delay,
  order: readonly LightColor[],
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
    deviation: measureScatter(others.map((other) => fitOrder(delay, rest, other).response)),
  };
}
