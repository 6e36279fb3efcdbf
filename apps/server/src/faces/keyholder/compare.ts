// How the key-holder compares: its thresholds, and a ranking that keeps the best row and the second best, so that no list of
// scores ever exists.

import { loadManifest } from '@limen/face-models';
import { createMatchThresholds } from '../models/match-threshold.ts';

/** How far the best must be ahead of the second, where somebody is sought among several. */
const MARGIN = 0.05;

export type Ranking = ReturnType<typeof createRanking>;

export function createRanking() {
  let rows = 0;
  let best = Number.NEGATIVE_INFINITY;
  let second = Number.NEGATIVE_INFINITY;
  let bestAt = -1;
  return {
    get rows(): number {
      return rows;
    },
    /** The scores are wiped. */
    add(scores: Float64Array): void {
      for (let at = 0; at < scores.length; at++) {
        const score = scores[at]!;
        if (score > best) {
          second = best;
          best = score;
          bestAt = rows + at;
        } else if (score > second) {
          second = score;
        }
      }
      rows += scores.length;
      scores.fill(0);
    },
    /** The position of the best row, if it reaches the threshold and, with `alone`, stands out. */
    choose(threshold: number, alone: boolean): number | null {
      if (!(best >= threshold)) return null;
      return alone && best - second < MARGIN ? null : bestAt;
    },
    wipe(): void {
      best = second = Number.NEGATIVE_INFINITY;
      bestAt = -1;
    },
  };
}

/** As the service names the gallery of a model: the beginning of its file's hash. */
const VERSION_DIGITS = 16;

/**
 * `configured` replaces the measured base for every model. A model version that the manifest does not have gets the
 * stricter default of the table, so that naming another one makes nothing easier.
 */
export async function loadThresholds(
  configured: number | undefined,
  manifestFile: string | undefined,
): Promise<(modelVersion: string, rows: number) => number> {
  const { models } = await loadManifest(manifestFile);
  const measured = new Map(
    models
      .filter(({ role }) => role === 'embedding')
      .map(({ sha256, thresholds }) => [versionOf(sha256), thresholds.get('falseMatch1In100000')]),
  );
  return (modelVersion, rows) => createMatchThresholds(configured ?? measured.get(modelVersion)).of(modelVersion, rows);
}

function versionOf(sha256: string): string {
  return `LIMEN_${sha256.slice(0, VERSION_DIGITS).toUpperCase()}`;
}
