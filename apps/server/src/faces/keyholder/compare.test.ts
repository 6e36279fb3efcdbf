// Thresholds: measured for the shipped model, stricter for unknown models, growing with the rows.
import { loadManifest } from '@limen/face-models';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadThresholds } from './compare.ts';

let ours: string;
beforeAll(async () => {
  const { models } = await loadManifest();
  const model = models.find(({ role }) => role === 'embedding')!;
  ours = `LIMEN_${model.sha256.slice(0, 16).toUpperCase()}`;
});

describe('the threshold', () => {
  it('is the measured one for the shipped model', async () => {
    expect((await loadThresholds(undefined, undefined))(ours, 1)).toBe(0.48);
  });

  it('is stricter for a model outside the manifest', async () => {
    expect((await loadThresholds(undefined, undefined))('LIMEN_0000000000000000', 1)).toBe(0.6);
  });

  it('grows with the rows, as in a gallery', async () => {
    const thresholdOf = await loadThresholds(undefined, undefined);
    expect(thresholdOf(ours, 1_000)).toBe(0.48);
    expect(thresholdOf(ours, 10_000)).toBeCloseTo(0.55, 10);
    expect(thresholdOf(ours, 4_000_000)).toBeCloseTo(0.48 + 0.07 * Math.log10(4_000), 10);
  });

  it('can be configured', async () => {
    const thresholdOf = await loadThresholds(0.5, undefined);
    expect(thresholdOf(ours, 10)).toBe(0.5);
    expect(thresholdOf(ours, 10_000)).toBeCloseTo(0.57, 10);
  });
});
