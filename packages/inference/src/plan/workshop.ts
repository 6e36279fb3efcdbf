// What planning a network works with: memory, kernels, and constants that lie ready in that memory.
import { instantiateKernel, type KernelModule } from '../kernel/kernel.ts';
import { refuse } from '../tensor.ts';
import { createArena } from './arena.ts';
import { type Constant, type Maps, type Plain, padChannels } from './values.ts';

export type Workshop = ReturnType<typeof createWorkshop>;

export function createWorkshop(module: KernelModule) {
  const arena = createArena();
  const uniform = new Map<string, number>();
  const plain: Plain[] = [];
  const floats = () => new Float32Array(arena.memory.buffer);

  function keepValues(values: ArrayLike<number>): number {
    const at = arena.keep(padChannels(values.length) * 4);
    const kept = floats().subarray(at / 4);
    for (let index = 0; index < values.length; index += 1) kept[index] = settle(values[index]!);
    return at;
  }

  return {
    arena,
    kernel: instantiateKernel(module, arena.memory),
    /** Of all memory there is at the moment: a view from before it grew is empty. */
    floats,
    /** A place for good with these values, and zeros up to the whole panel. */
    keepValues,
    /** The same value for each of so many channels. */
    keepUniform(value: number, channels: number): number {
      const key = `${value} ${channels}`;
      const at = uniform.get(key) ?? keepValues(new Float32Array(padChannels(channels)).fill(value));
      uniform.set(key, at);
      return at;
    },
    takeMaps(dims: Maps['dims']): Maps {
      const [images, channels, height, width] = dims;
      const pixelBytes = padChannels(channels) * 4;
      return { kind: 'maps', dims, at: arena.take(images * height * width * pixelBytes), pixelBytes };
    },
    makePlain(dims: readonly number[]): Plain {
      const value: Plain = { kind: 'plain', dims, current: undefined };
      plain.push(value);
      return value;
    },
    /** Lets go of the plain values of a run, and overwrites those that do not lie in one of these buffers. */
    dropPlain(spared: readonly ArrayBufferLike[]): void {
      for (const value of plain) {
        if (value.current && !spared.includes(value.current.buffer)) value.current.fill(0);
        value.current = undefined;
      }
    },
  };
}

/**
 * What is nearer to zero is zero. Networks have channels that died in training, whose weights went on shrinking: numbers at
 * the end of what floats hold take a processor up to a hundred times as long, and nothing comes of them.
 */
export const LEAST = 1e-20;

export const settle = (value: number) => (Math.abs(value) < LEAST ? 0 : value);

/** One value for each channel, or one for all of them. */
export function spreadOverChannels(constant: Constant, channels: number): ArrayLike<number> {
  const { dims, values } = constant.read();
  if (values.length === 1) return new Float32Array(channels).fill(values[0]!);
  // Channels, height and width are the last three.
  if (values.length !== channels || (dims.at(-3) ?? 0) !== channels)
    refuse('the values for the channels are not as many as those');
  return values;
}
