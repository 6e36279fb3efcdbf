// How the key-holder compares: thresholds, and a ranking that keeps only the two best rows, so that no list of scores exists.
import { loadManifest } from '@limen/face-models';
import { createMatchThresholds } from '../models/match-threshold.ts';

/** Minimum lead of the best row over the second in a search among several people. */
const MARGIN = 0.05;

export class Ranking {
  rows = 0;
  #best = Number.NEGATIVE_INFINITY;
  #second = Number.NEGATIVE_INFINITY;
  #bestAt = -1;

  add(scores: Float64Array): void {
    for (let at = 0; at < scores.length; at++) {
      const score = scores[at]!;
      if (score > this.#best) {
        this.#second = this.#best;
        this.#best = score;
        this.#bestAt = this.rows + at;
      } else if (score > this.#second) {
        this.#second = score;
      }
    }
    this.rows += scores.length;
    scores.fill(0);
  }

  choose(threshold: number, standsOut: boolean): number | null {
    if (!(this.#best >= threshold)) return null;
    return standsOut && this.#best - this.#second < MARGIN ? null : this.#bestAt;
  }

  wipe(): void {
    this.#best = this.#second = Number.NEGATIVE_INFINITY;
    this.#bestAt = -1;
  }
}

/** `configured` replaces the measured base. An unknown model version gets the stricter default, so naming one gains nothing. */
export async function loadThresholds(
  configured: number | undefined,
  manifestFile: string | undefined,
): Promise<(modelVersion: string, rows: number) => number> {
  const { models } = await loadManifest(manifestFile);
  const measured = new Map(
    models
      .filter(({ role }) => role === 'embedding')
      // The service names the gallery of a model after the beginning of its file's hash.
      .map(({ sha256, thresholds }) => [
        `LIMEN_${sha256.slice(0, 16).toUpperCase()}`,
        thresholds.get('falseMatch1In100000'),
      ]),
  );
  return (modelVersion, rows) => createMatchThresholds(configured ?? measured.get(modelVersion)).of(modelVersion, rows);
}
