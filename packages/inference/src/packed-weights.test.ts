import { widenOnnx } from '@limen/face-models/widen';
import { expect, test } from 'vitest';
import { makeMixedNetwork, wave } from '../../face-models/testing/mixed-network.ts';
import { loadModule } from '../testing/load-module.ts';
import { openNetwork } from './index.ts';

test('computes exactly the same with quantized weights as with widened ones', () => {
  const narrow = makeMixedNetwork();
  const [before, after] = [narrow, widenOnnx(narrow)].map((content) => openNetwork(content, loadModule()));
  for (const images of [1, 2]) {
    const shape = [images, 3, 8, 8];
    const values = wave(images * 3 * 8 * 8);
    const result = before!.run(values, shape);
    expect(new Set(Object.values(result)[0])).not.toEqual(new Set([0]));
    expect(result).toEqual(after!.run(values, shape));
  }
});
