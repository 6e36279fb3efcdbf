// Histograms and thresholds of gray levels.
import type { GrayImage } from './gray.ts';

export function countLevels(image: GrayImage): Int32Array {
  const counts = new Int32Array(256);
  const { data } = image;
  for (let i = 0; i < data.length; i += 1) counts[data[i]!] = counts[data[i]!]! + 1;
  return counts;
}

/** Returns the level below which `share` of all pixels are. */
export function levelAt(counts: Int32Array, share: number): number {
  let total = 0;
  for (let level = 0; level < 256; level += 1) total += counts[level]!;
  let seen = 0;
  for (let level = 0; level < 256; level += 1) {
    seen += counts[level]!;
    if (seen > total * share) return level;
  }
  return 255;
}

/** Finds Otsu's threshold, which minimizes the variance within both classes. */
export function findThreshold(counts: Int32Array): number {
  let [total, weighted] = [0, 0];
  for (let level = 0; level < 256; level += 1) {
    total += counts[level]!;
    weighted += counts[level]! * level;
  }
  let [below, sum, best, threshold] = [0, 0, -1, 0];
  for (let level = 0; level < 255; level += 1) {
    below += counts[level]!;
    sum += counts[level]! * level;
    const above = total - below;
    if (below === 0 || above === 0) continue;
    const apart = sum / below - (weighted - sum) / above;
    const between = below * above * apart * apart;
    if (between > best) [best, threshold] = [between, level];
  }
  return threshold;
}
