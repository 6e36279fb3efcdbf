// ReLU and max pooling after each convolution.
import { MARGIN, type Maps } from './maps.ts';

export function poolForward(sums: Maps, output: Maps, [poolHeight, poolWidth]: readonly [number, number]): void {
  const { channels } = sums;
  const from = sums.values;
  const to = output.values;
  for (let y = 0; y < output.height; y += 1)
    for (let x = 0; x < output.width; x += 1) {
      const target = y * output.row + (MARGIN + x) * channels;
      const source = y * poolHeight * sums.row + (MARGIN + x * poolWidth) * channels;
      for (let channel = 0; channel < channels; channel += 1) {
        let largest = 0;
        for (let dy = 0; dy < poolHeight; dy += 1)
          for (let dx = 0; dx < poolWidth; dx += 1) {
            const value = from[source + dy * sums.row + dx * channels + channel]!;
            if (value > largest) largest = value;
          }
        to[target + channel] = largest;
      }
    }
}

/** The gradient goes to the maximum, or nowhere if all values were negative. */
export function poolBackward(
  sums: Maps,
  output: Maps,
  outputGradient: Maps,
  sumGradient: Maps,
  [poolHeight, poolWidth]: readonly [number, number],
): void {
  const { channels } = sums;
  const from = sums.values;
  const to = sumGradient.values;
  for (let y = 0; y < output.height; y += 1)
    for (let x = 0; x < output.width; x += 1) {
      const target = y * output.row + (MARGIN + x) * channels;
      const source = y * poolHeight * sums.row + (MARGIN + x * poolWidth) * channels;
      for (let channel = 0; channel < channels; channel += 1) {
        const largest = output.values[target + channel]!;
        let rest = largest > 0 ? outputGradient.values[target + channel]! : 0;
        for (let dy = 0; dy < poolHeight; dy += 1)
          for (let dx = 0; dx < poolWidth; dx += 1) {
            const at = source + dy * sums.row + dx * channels + channel;
            const isIt = from[at] === largest;
            to[at] = isIt ? rest : 0;
            if (isIt) rest = 0;
          }
      }
    }
}
