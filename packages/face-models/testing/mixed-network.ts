import { Network } from '../src/convert/network.ts';
import type { Weight } from '../src/convert/tfjs-weights.ts';

/** Pseudorandom numbers between -3 and 3. */
export const wave = (count: number, shift = 0) =>
  Float32Array.from({ length: count }, (_, index) => Math.sin((index + shift) * 12.9898) * 3);

const OUTPUTS = 32;

/** Creates a network with every kind of stored weights: 8, 10 and 16 bits. */
export function makeMixedNetwork(): Uint8Array {
  const network = new Network({ name: 'test', side: 8 });
  const [quantized, wide] = [48, 512];
  const first = network.convolve('bytes', network.input, {
    filter: {
      kind: 'uint8',
      shape: [1, 1, 3, quantized],
      values: Uint8Array.from({ length: 3 * quantized }, (_, index) => (index * 37) % 256),
      zeroPoint: 121,
      scale: 0.013,
    },
  });
  const second = network.convolve('fine', network.relu6(first), {
    filter: { kind: 'float32', shape: [1, 1, quantized, wide], values: wave(quantized * wide) },
  });
  const third = network.convolve('ten', second, {
    filter: { kind: 'float32', shape: [1, 1, wide, wide], values: wave(wide * wide, 7) },
    bias: { kind: 'float32', shape: [wide], values: wave(wide) },
  });
  const kernel: Weight = { kind: 'float32', shape: [wide, OUTPUTS], values: wave(wide * OUTPUTS, 3) };
  const bias: Weight = { kind: 'float32', shape: [OUTPUTS], values: wave(OUTPUTS) };
  return network.write(
    network.softmax('out', network.connect('kernel', network.average(third), kernel, bias)),
    OUTPUTS,
  );
}
